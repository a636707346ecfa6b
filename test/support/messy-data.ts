/** The service with outside systems whose rows are in odd forms, as real accounts have them. */
import { beforeAll } from 'vitest';
import { makeChatBotMessy } from '../../sandbox/chat-bot/database.ts';
import { useChatBotDatabase } from './chat-bot-database.ts';
import { useSandbox } from './sandbox.ts';
import { type TestServiceOptions, useService } from './test-service.ts';

const systems = [
  'crm',
  'directory',
  'employee-records',
  'events',
  'activity-log',
  'listing-portal',
  'property-projects',
  'telephony',
];

export function useMessyData(name: string, { env, ...options }: TestServiceOptions) {
  const sandbox = useSandbox();
  beforeAll(async () => {
    for (const system of systems) await sandbox.control.settings(system, { messyData: true });
    await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
    await sandbox.control.settings('listing-portal', { callLimit: false });
  });
  const service = useService(name, () => ({
    ...options,
    sandboxUrl: sandbox.url,
    env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000', ...env },
  }));
  useChatBotDatabase(service);
  beforeAll(() => makeChatBotMessy(service.databaseUrl));
  return { sandbox, service };
}
