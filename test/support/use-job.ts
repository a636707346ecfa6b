/** The service with a worker of one job kind, a client that starts its jobs, and the sandbox without the CRM's limits. */
import { beforeAll } from 'vitest';
import type { z } from 'zod';
import type { JobHandler } from '../../core/jobs/handler.ts';
import { readConfig } from '../../core/runtime/config.ts';
import { useSandbox } from './sandbox.ts';
import { type TestService, type TestServiceOptions, useClient, useService } from './test-service.ts';

interface JobOptions<P extends z.ZodType, R extends z.ZodType, C extends z.ZodObject> extends TestServiceOptions {
  handler: JobHandler<P, R, C, TestService>;
  /** The scopes of the client. */
  scopes: readonly string[];
  /** Default: those of the job kind. With few, a job fails in time for a test. */
  attempts?: number;
}

/** Opens them for the tests of a file, as `useService`; the handler reads its configuration from `env`. */
export function useJob<P extends z.ZodType, R extends z.ZodType, C extends z.ZodObject>(
  name: string,
  { handler, scopes, attempts, env, ...options }: JobOptions<P, R, C>,
) {
  const contract = attempts === undefined ? handler.job : { ...handler.job, attempts, backoffMs: 10 };
  const sandbox = useSandbox();
  const service = useService(name, () => ({
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, contract]]),
    env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000', ...env },
    ...options,
  }));
  const client = useClient(service, scopes);
  beforeAll(async () => {
    await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
    const open = await handler.open(readConfig(handler.config, env ?? {}), service);
    service.startWorker([{ contract, handler: open }]);
  });
  return { sandbox, service, client };
}
