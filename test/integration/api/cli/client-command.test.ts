import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { CommandError, runClientCommand } from '../../../../api/cli/client-command.ts';
import { putBootstrapClient } from '../../../../api/operations/oauth/bootstrap-client.ts';
import { type OauthClient, openOauthClient, statusOf } from '../../../support/oauth-client.ts';
import { useService } from '../../../support/test-service.ts';

const service = useService('client-command', () => ({
  env: { BOOTSTRAP_CLIENT_ID: 'bootstrap', BOOTSTRAP_CLIENT_SECRET: 'secret' },
}));
let party: OauthClient;

beforeAll(async () => {
  party = await openOauthClient(service);
});

const run = (...args: string[]) =>
  runClientCommand(args, {
    clients: service.clients,
    scopes: service.scopes,
    by: { kind: 'command', name: 'someone' },
  });
const loginIn = (output: string) => ({
  clientId: /client id +(\S+)/.exec(output)?.[1] ?? '',
  clientSecret: /client secret +(\S+)/.exec(output)?.[1] ?? '',
});

describe('npm run client', () => {
  it('create prints a valid id and secret', async () => {
    const login = loginIn(await run('create', '--name', 'Portal', '--scopes', 'pdf, ops', '--lifetime', '60'));
    expect(await party.token(login)).toMatchObject({ scope: 'pdf ops', expires_in: 60 });
    const { rows } = await service.database.pool.query('select * from audit_entry where target = $1', [
      `/oauth/clients/${login.clientId}`,
    ]);
    expect(rows).toMatchObject([{ actor_kind: 'command', actor: 'someone', action: 'oauth.createClient' }]);
  });

  it('create grants every scope for "all"', async () => {
    const login = loginIn(await run('create', '--name', 'First', '--scopes', 'all'));
    expect((await party.token(login)).scope?.split(' ')).toEqual(service.scopes);
  });

  it('rotate prints a new secret; the old one expires after the grace period', async () => {
    const old = loginIn(await run('create', '--name', 'Rotated', '--scopes', 'pdf'));
    const next = loginIn(await run('rotate', old.clientId));
    await Promise.all([party.token(old), party.token(next)]);
    const last = loginIn(await run('rotate', old.clientId, '--grace', '0'));
    await party.token(last);
    await expect(party.token(next)).rejects.toThrow();
  });

  it('deactivate invalidates a client, and list shows it without a secret', async () => {
    const login = loginIn(await run('create', '--name', 'Ended', '--scopes', 'pdf'));
    expect(await run('deactivate', login.clientId)).toContain('Ended');
    const listed = await run('list');
    expect(listed).toMatch(new RegExp(`^${login.clientId} +inactive +never used +Ended +pdf$`, 'm'));
    expect(listed).not.toContain(login.clientSecret);
    await expect(party.token(login)).rejects.toThrow();
  });

  it('reactivate makes the secret of a deactivated client valid again, but not its tokens', async () => {
    const login = loginIn(await run('create', '--name', 'Back', '--scopes', 'pdf'));
    const { access_token } = await party.token(login);
    await run('deactivate', login.clientId);
    expect(await run('reactivate', login.clientId)).toContain('Back');
    expect(await statusOf(service, access_token)).toBe(401);
    await party.token(login);
  });

  it('changes every client, the bootstrap client too', async () => {
    await putBootstrapClient(service);
    await run('deactivate', 'bootstrap');
    await run('reactivate', 'bootstrap');
    const login = loginIn(await run('rotate', 'bootstrap'));
    expect((await party.token(login)).scope?.split(' ')).toEqual(service.scopes);
  });

  it.each([
    { args: [], message: 'npm run client -- create' },
    { args: ['destroy'], message: 'npm run client -- create' },
    { args: ['list', 'x'], message: 'npm run client -- list' },
    { args: ['rotate'], message: 'npm run client -- rotate' },
    { args: ['reactivate'], message: 'npm run client -- reactivate' },
    { args: ['reactivate', 'unknown'], message: 'There is no client unknown' },
    { args: ['create', '--colour', 'red'], message: '--colour' },
    { args: ['create', '--scopes', 'pdf'], message: '--name must not be empty' },
    { args: ['create', '--name', 'x'], message: '--scopes must name at least one scope' },
    { args: ['create', '--name', 'x', '--scopes', 'pdf', '--lifetime', 'long'], message: '--lifetime must be' },
    { args: ['create', '--name', 'x', '--scopes', 'pdf,wrong'], message: 'there is no scope wrong' },
    { args: ['rotate', 'x', '--grace', '-1'], message: '--grace' },
    { args: ['rotate', 'unknown'], message: 'There is no client unknown' },
    { args: ['deactivate', 'unknown'], message: 'There is no client unknown' },
  ])('$args is rejected with the reason', async ({ args, message }) => {
    await expect(run(...args)).rejects.toThrow(CommandError);
    await expect(run(...args)).rejects.toThrow(message);
  });
});

describe('the command itself', () => {
  const spawned = async (...args: string[]) => {
    const child = spawn(process.execPath, ['--import', './core/cli/typescript.mjs', 'api/cli/client.ts', ...args], {
      env: { ...process.env, DATABASE_URL: service.databaseUrl },
    });
    const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { out, error, code };
  };

  it('prints to standard output and exits with 0', async () => {
    const { out, error, code } = await spawned('create', '--name', 'Spawned', '--scopes', 'pdf');
    expect({ error, code }).toEqual({ error: '', code: 0 });
    expect((await party.token(loginIn(out))).scope).toBe('pdf');
  });

  it('prints only the reason on failure and exits with 1', async () => {
    const { out, error, code } = await spawned('rotate', 'unknown');
    expect({ out, error, code }).toEqual({ out: '', error: 'There is no client unknown.\n', code: 1 });
  });
});
