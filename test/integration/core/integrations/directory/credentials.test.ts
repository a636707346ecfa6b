/** The directory is called with the access token of a service account, or with an API key. */
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import directorySystem from '../../../../../core/integrations/directory/system.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { useSandbox } from '../../../../support/sandbox.ts';

const sandbox = useSandbox();
afterEach(() => sandbox.control.reset('directory'));

const account = { DIRECTORY_CLIENT_ID: 'sandbox', DIRECTORY_CLIENT_SECRET: 'sandbox' };

/** Reads users one after the other. */
async function read(env: Record<string, string>, times = 1): Promise<number> {
  const base = `${sandbox.url}/directory`;
  const context = openIntegrationContext({
    env: { DIRECTORY_URL: base, DIRECTORY_OAUTH_URL: `${base}/oauth2`, ...env },
    sandboxUrl: undefined,
    budgets: { take: async () => undefined, block: async () => {} },
    logger: pino({ level: 'silent' }),
  });
  const directory = directorySystem.client(context);
  let users = 0;
  await withCallContext({ priority: 'interactive', retries: false }, async () => {
    for (let call = 0; call < times; call += 1)
      users += (await directory.usersPage({ offset: 0, limit: 5 })).items.length;
  });
  return users;
}
const tokensIssued = async () => (await sandbox.control.requests('directory')).byPath['POST /oauth2/token'] ?? 0;

it('calls of a service account share one token', async () => {
  expect(await read(account, 3)).toBe(15);
  expect(await tokensIssued()).toBe(1);
});

it('an expired token is renewed before the call', async () => {
  await sandbox.control.settings('directory', { tokenSeconds: 30 });
  expect(await read(account, 2)).toBe(10);
  expect(await tokensIssued()).toBe(2);
});

it('a token that the directory rejects is replaced once', async () => {
  await sandbox.control.fault('directory', { fault: 'unauthorized', path: '/systemusers', times: 1 });
  expect(await read(account)).toBe(5);
  expect(await tokensIssued()).toBe(2);
});

it('an API key needs no token', async () => {
  expect(await read({ DIRECTORY_API_KEY: 'sandbox' })).toBe(5);
  expect(await tokensIssued()).toBe(0);
});

it('a wrong secret is rejected as our credentials', () =>
  expect(read({ ...account, DIRECTORY_CLIENT_SECRET: 'guess' })).rejects.toThrow('rejects our credentials'));
