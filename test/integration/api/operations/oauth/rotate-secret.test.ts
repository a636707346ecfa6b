import { beforeAll, describe, expect, it } from 'vitest';
import { ClientWithSecret } from '../../../../../api/operations/oauth/client-resource.ts';
import { sha256 } from '../../../../../core/oauth/credentials.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import {
  createLogin,
  type Login,
  type OauthClient,
  openOauthClient,
  statusOf,
} from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('rotate-secret');
let party: OauthClient;
let administrator: ApiClient;

beforeAll(async () => {
  party = await openOauthClient(service);
  administrator = await service.client(service.scopes);
});

const ask = (clientId: string, body?: object, by = administrator) =>
  by.request('POST', `/oauth/clients/${clientId}/rotate-secret`, body ? { body } : {});
const rotate = async ({ clientId }: Login, gracePeriodSeconds: number) =>
  ClientWithSecret.parse((await ask(clientId, { gracePeriodSeconds })).body);
const isValid = (login: Login): Promise<boolean> =>
  party.token(login, {}, 'post').then(
    () => true,
    () => false,
  );
const expiryOf = async (login: Login): Promise<Date | null | undefined> =>
  (await service.clients.find(login.clientId))?.secrets.find(
    ({ fingerprint }) => fingerprint === sha256(login.clientSecret).slice(0, 8),
  )?.expiresAt;

describe('the old secret after a rotation', () => {
  it('remains valid beside the new one during the grace period only', async () => {
    const old = await createLogin(service);
    const reply = await ask(old.clientId, { gracePeriodSeconds: 600 });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const fresh = ClientWithSecret.parse(reply.body);
    expect([await isValid(old), await isValid(fresh)]).toEqual([true, true]);
    expect(Number(await expiryOf(old)) - Date.now()).toBeGreaterThan(590_000);
    expect(await expiryOf(fresh)).toBeNull();
    await service.database.pool.query(
      `update oauth_secret set expires_at = expires_at - interval '600 seconds' where client_id = $1`,
      [old.clientId],
    );
    expect([await isValid(old), await isValid(fresh)]).toEqual([false, true]);
    expect((await service.clients.find(old.clientId))?.secrets).toHaveLength(1);
  });

  it('is invalid at once with a grace period of 0; live tokens remain valid', async () => {
    const old = await createLogin(service);
    const { access_token } = await party.token(old);
    const fresh = await rotate(old, 0);
    expect([await isValid(old), await isValid(fresh)]).toEqual([false, true]);
    expect(await statusOf(service, access_token)).toBe(200);
    expect(fresh.secrets).toHaveLength(1);
  });

  it('remains valid for a day by default', async () => {
    const old = await createLogin(service);
    expect((await ask(old.clientId)).status).toBe(200);
    expect(Math.abs(Number(await expiryOf(old)) - Date.now() - 86_400_000)).toBeLessThan(60_000);
  });

  it('expires earlier, never later, after another rotation', async () => {
    const first = await createLogin(service);
    const second = await rotate(first, 1_000);
    const end = await expiryOf(first);
    const third = await rotate(second, 100_000);
    expect(await expiryOf(first)).toEqual(end);
    await rotate(third, 10);
    expect(Number(await expiryOf(first))).toBeLessThan(Number(end));
    expect(await isValid(first)).toBe(true);
  });

  it('shows its last use', async () => {
    const old = await createLogin(service);
    const fresh = await rotate(old, 600);
    await party.token(fresh);
    const used = (await service.clients.find(old.clientId))?.secrets.map(({ lastUsedAt }) => lastUsedAt !== null);
    expect(used).toEqual([true, false]);
  });

  it('is recorded in the audit trail by fingerprint and expiry, without the secret', async () => {
    const old = await createLogin(service);
    const fresh = await rotate(old, 600);
    const { rows } = await service.database.pool.query(
      `select action, actor, before, after from audit_entry where target = $1 order by id desc limit 1`,
      [`/oauth/clients/${old.clientId}`],
    );
    expect(rows).toMatchObject([
      {
        action: 'oauth.rotateSecret',
        actor: administrator.clientId,
        before: { secrets: [{ expiresAt: null }] },
        after: { secrets: [{ expiresAt: null }, { expiresAt: expect.any(String) }] },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain(fresh.clientSecret);
    expect(JSON.stringify(rows)).not.toContain(old.clientSecret);
  });
});

describe('rotation is rejected', () => {
  it.each([-1, 2_592_001, 1.5, '60', null])('with a grace period of %s', async gracePeriodSeconds => {
    const { clientId } = await createLogin(service);
    const reply = await ask(clientId, { gracePeriodSeconds });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/gracePeriodSeconds' }] } });
  });

  it('with 409 while five secrets are valid', async () => {
    let login: Login = await createLogin(service);
    for (let index = 0; index < 4; index++) login = await rotate(login, 600);
    expect((await ask(login.clientId, { gracePeriodSeconds: 600 })).status).toBe(409);
    expect(await isValid(login)).toBe(true);
    expect((await rotate(login, 0)).secrets).toHaveLength(1);
  });

  it('with 403 for a caller that does not have all scopes of the client', async () => {
    const old = await createLogin(service, ['pdf', 'ops']);
    const lesser = await service.client(['oauth:clients', 'pdf']);
    const reply = await ask(old.clientId, {}, lesser);
    expect(reply).toMatchObject({ status: 403, body: { detail: expect.stringContaining('ops') } });
    expect((await service.clients.find(old.clientId))?.secrets).toHaveLength(1);
  });

  it('with 404 for an unknown client', async () => expect((await ask('unknown', {})).status).toBe(404));
});

it('both secrets of two concurrent rotations are valid', async () => {
  const old = await createLogin(service);
  const fresh = await Promise.all([rotate(old, 600), rotate(old, 600)]);
  expect(await Promise.all(fresh.map(isValid))).toEqual([true, true]);
});
