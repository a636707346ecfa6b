/** Administration of OAuth clients: secrets, tokens that end with a change, audit entries, permission for a change. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createOauthClients, type Permit } from '../../../../core/oauth/clients.ts';
import { sha256 } from '../../../../core/oauth/credentials.ts';
import { oauthClientTable as client, oauthSecretTable as secret } from '../../../../core/oauth/schema.ts';
import { createOauthStore } from '../../../../core/oauth/tokens.ts';
import { auditTable as audit } from '../../../../core/postgres/schema.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('oauth clients');
const clients = createOauthClients(database);
const store = createOauthStore(database);

const by = { kind: 'operator', name: 'someone', requestId: 'request-1' } as const;
const given = { name: 'Portal', description: 'Prints.', scopes: ['pdf', 'leads'], tokenLifetimeSeconds: 600 };
const create = (scopes = given.scopes) => clients.create({ ...given, scopes }, by);
const ofClient = (clientId: string) => eq(audit.target, `/oauth/clients/${clientId}`);
const entries = (clientId: string) => database.$count(audit, ofClient(clientId));
const newest = async (clientId: string) =>
  (await database.select().from(audit).where(ofClient(clientId)).orderBy(desc(audit.id)))[0];

/** A live token of the client with all of its scopes. */
async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
  const holder = await store.authenticate(clientId, clientSecret);
  if (!holder) throw new Error('the client cannot authenticate');
  return (await store.issueToken(holder, holder.scopes)).accessToken;
}
const isAlive = async (token: string) => (await store.findToken(token)) !== undefined;
const canAuthenticate = async (clientId: string, clientSecret: string) =>
  (await store.authenticate(clientId, clientSecret)) !== undefined;
/** Lets the end of one secret, or of all secrets, come closer. */
const setEnd = (clientId: string, seconds: number, of?: string) =>
  database
    .update(secret)
    .set({ expiresAt: sql`now() + ${seconds} * interval '1 second'` })
    .where(and(eq(secret.clientId, clientId), of === undefined ? undefined : eq(secret.sha256, sha256(of))));
const secondsLeft = async (clientId: string, of: string) => {
  const found = await clients.find(clientId);
  const end = found?.secrets.find(({ fingerprint }) => sha256(of).startsWith(fingerprint))?.expiresAt;
  return end && (end.getTime() - Date.now()) / 1_000;
};

describe('a new client', () => {
  it('gets an id and a secret that only the answer contains', async () => {
    const { clientSecret, ...created } = await create();
    expect(created).toMatchObject({ ...given, isActive: true, lastUsedAt: null });
    expect(created.secrets).toEqual([
      { fingerprint: sha256(clientSecret).slice(0, 8), createdAt: expect.any(Date), expiresAt: null, lastUsedAt: null },
    ]);
    expect(await clients.find(created.clientId)).toEqual(created);
    expect(await canAuthenticate(created.clientId, clientSecret)).toBe(true);
  });

  it('is recorded in the audit trail without its secret and times of use', async () => {
    const { clientId, clientSecret } = await create();
    expect(await newest(clientId)).toMatchObject({
      action: 'oauth.createClient',
      actorKind: 'operator',
      actor: 'someone',
      requestId: 'request-1',
      before: null,
    });
    expect((await newest(clientId))?.after).toEqual({
      ...given,
      isActive: true,
      secrets: [{ fingerprint: sha256(clientSecret).slice(0, 8), expiresAt: null }],
    });
  });
});

it('lists clients by page, the newest first', async () => {
  await database.delete(client);
  const at = new Date('2026-01-31T08:00:00Z');
  const row = (clientId: string, seconds: number) => ({
    clientId,
    name: clientId,
    scopes: [],
    createdAt: new Date(at.getTime() + seconds * 1_000),
  });
  await database.insert(client).values([row('a', 0), row('b', 1), row('c', 1), row('d', 2)]);
  const ids = async (limit: number, after?: { createdAt: Date; clientId: string }) =>
    (await clients.list(limit, after)).map(({ clientId }) => clientId);
  expect(await ids(10)).toEqual(['d', 'c', 'b', 'a']);
  expect(await ids(2)).toEqual(['d', 'c']);
  expect(await ids(10, row('c', 1))).toEqual(['b', 'a']);
  expect(await ids(10, row('a', 0))).toEqual([]);
});

describe('a replaced client', () => {
  const replace = (clientId: string, change: object, permit?: Permit) =>
    clients.replace(clientId, { ...given, isActive: true, ...change }, by, permit);

  it('has the new members; the change is recorded with both states', async () => {
    const { clientId, secrets } = await create();
    const changed = { name: 'Chat bot', description: '', scopes: ['pdf', 'leads', 'ops'], tokenLifetimeSeconds: 60 };
    expect(await replace(clientId, changed)).toMatchObject({ ...changed, clientId, isActive: true, secrets });
    expect(await newest(clientId)).toMatchObject({ action: 'oauth.replaceClient', before: given, after: changed });
  });

  it.each([
    ['ends its tokens when a scope is removed', { scopes: ['pdf'] }, false],
    ['ends its tokens when a scope is replaced', { scopes: ['pdf', 'ops'] }, false],
    ['ends its tokens when it is deactivated', { isActive: false }, false],
    ['keeps its tokens when a scope is added', { scopes: ['leads', 'pdf', 'ops'] }, true],
    ['keeps its tokens when it is renamed', { name: 'Chat bot' }, true],
  ])('%s', async (_, change, survives) => {
    const [own, other] = [await create(), await create()];
    const token = await tokenOf(own.clientId, own.clientSecret);
    const othersToken = await tokenOf(other.clientId, other.clientSecret);
    await replace(own.clientId, change);
    await replace(own.clientId, { ...change, isActive: true });
    expect(await isAlive(token)).toBe(survives);
    expect(await isAlive(othersToken)).toBe(true);
  });

  it('stays as it is when the change is not permitted', async () => {
    const { clientSecret: _, ...before } = await create();
    const { clientId } = before;
    const recorded = await entries(clientId);
    const permit = () => {
      throw new Error('The caller lacks scopes.');
    };
    await expect(replace(clientId, { scopes: [] }, permit)).rejects.toThrow('The caller lacks scopes.');
    await expect(clients.deactivate(clientId, by, permit)).rejects.toThrow('The caller lacks scopes.');
    await expect(clients.rotateSecret(clientId, 0, by, permit)).rejects.toThrow('The caller lacks scopes.');
    expect(await clients.find(clientId)).toEqual(before);
    expect(await entries(clientId)).toBe(recorded);
  });

  it('must exist', async () => {
    expect(await replace('unknown', {})).toBeUndefined();
    expect(await clients.deactivate('unknown', by)).toBeUndefined();
    expect(await clients.reactivate('unknown', by)).toBeUndefined();
    expect(await clients.rotateSecret('unknown', 0, by)).toBeUndefined();
    expect(await clients.find('unknown')).toBeUndefined();
    expect(await entries('unknown')).toBe(0);
  });
});

describe('the permission for a change', () => {
  let permit: ReturnType<typeof vi.fn<Permit>>;
  beforeEach(() => {
    permit = vi.fn();
  });
  const held = () => [...(permit.mock.lastCall?.[1] ?? [])].sort();
  const narrow = (clientId: string, scopes: string[]) =>
    clients.replace(clientId, { ...given, scopes, isActive: true }, by, permit);

  it('is asked with the client and all scopes that it had since its last secret', async () => {
    const { clientId } = await create(['pdf', 'leads']);
    await create(['ops']);
    await narrow(clientId, ['pdf', 'sms']);
    expect(permit.mock.lastCall?.[0]).toMatchObject({ clientId, scopes: ['pdf', 'leads'] });
    expect(held()).toEqual(['leads', 'pdf']);
    await narrow(clientId, []);
    expect(held()).toEqual(['leads', 'pdf', 'sms']);
    await clients.deactivate(clientId, by, permit);
    expect(held()).toEqual(['leads', 'pdf', 'sms']);
    await clients.rotateSecret(clientId, 0, by, permit);
    expect(held()).toEqual(['leads', 'pdf', 'sms']);
    // The new secret was never valid with the old scopes.
    await narrow(clientId, ['links']);
    expect(held()).toEqual([]);
    await narrow(clientId, ['links']);
    expect(held()).toEqual(['links']);
  });

  it('of a configured client is asked with all scopes that it ever had', async () => {
    const clientId = randomUUID();
    const put = (scopes: string[]) => clients.put({ clientId, name: 'First', clientSecret: 'x', scopes }, by);
    await put(['ops', 'pdf']);
    await put(['pdf']);
    await clients.deactivate(clientId, by, permit);
    expect(held()).toEqual(['ops', 'pdf']);
  });
});

describe('deactivation and reactivation', () => {
  it('end all tokens unless the client had the state before, and are recorded', async () => {
    const { clientId, clientSecret } = await create();
    const token = await tokenOf(clientId, clientSecret);
    await clients.reactivate(clientId, by);
    expect(await isAlive(token)).toBe(true);
    expect(await clients.deactivate(clientId, by)).toMatchObject({ isActive: false, scopes: given.scopes });
    expect(await canAuthenticate(clientId, clientSecret)).toBe(false);
    expect(await newest(clientId)).toMatchObject({ action: 'oauth.deactivateClient', after: { isActive: false } });
    expect(await clients.reactivate(clientId, by)).toMatchObject({ isActive: true });
    expect(await newest(clientId)).toMatchObject({ action: 'oauth.reactivateClient', after: { isActive: true } });
    expect(await canAuthenticate(clientId, clientSecret)).toBe(true);
    expect(await isAlive(token)).toBe(false);
  });
});

describe('a rotated secret', () => {
  it('replaces the others after the grace period', async () => {
    const { clientId, clientSecret } = await create();
    const rotated = await clients.rotateSecret(clientId, 3_600, by);
    expect(rotated?.clientSecret).toMatch(/^pss_/);
    expect(rotated?.secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false]);
    expect(await secondsLeft(clientId, clientSecret)).toBeGreaterThan(3_500);
    expect(await secondsLeft(clientId, clientSecret)).toBeLessThanOrEqual(3_601);
    expect(await canAuthenticate(clientId, clientSecret)).toBe(true);
    expect(await canAuthenticate(clientId, rotated?.clientSecret ?? '')).toBe(true);
    expect(await newest(clientId)).toMatchObject({ action: 'oauth.rotateSecret' });
    await setEnd(clientId, -1, clientSecret);
    expect(await canAuthenticate(clientId, clientSecret)).toBe(false);
    expect((await clients.find(clientId))?.secrets).toHaveLength(1);
  });

  it('replaces the others at once without a grace period', async () => {
    const { clientId, clientSecret } = await create();
    const rotated = await clients.rotateSecret(clientId, 0, by);
    expect(rotated?.secrets).toHaveLength(1);
    expect(await database.$count(secret, eq(secret.clientId, clientId))).toBe(1);
    expect(await canAuthenticate(clientId, clientSecret)).toBe(false);
    expect(await canAuthenticate(clientId, rotated?.clientSecret ?? '')).toBe(true);
  });

  it('does not postpone the end of another one, and deletes those that have ended', async () => {
    const [{ clientId, clientSecret }, other] = [await create(), await create()];
    await setEnd(clientId, 60, clientSecret);
    await setEnd(other.clientId, -1);
    await clients.rotateSecret(clientId, 3_600, by);
    expect(await secondsLeft(clientId, clientSecret)).toBeLessThanOrEqual(61);
    await setEnd(clientId, -1, clientSecret);
    await clients.rotateSecret(clientId, 3_600, by);
    expect(await database.$count(secret, eq(secret.clientId, clientId))).toBe(2);
    expect(await database.$count(secret, eq(secret.clientId, other.clientId))).toBe(1);
  });

  it('is at most the fifth active one, unless it ends the others', async () => {
    const { clientId } = await create();
    for (let count = 2; count <= 5; count++) await clients.rotateSecret(clientId, 3_600, by);
    await expect(clients.rotateSecret(clientId, 3_600, by)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('The client has 5 active secrets'),
    });
    expect((await clients.find(clientId))?.secrets).toHaveLength(5);
    expect((await clients.rotateSecret(clientId, 0, by))?.secrets).toHaveLength(1);
  });
});

describe('a configured client', () => {
  const clientId = () => `configured-${randomUUID()}`;
  const put = (id: string, change: object = {}) =>
    clients.put({ clientId: id, clientSecret: 'a secret', name: 'First', scopes: ['pdf', 'leads'], ...change }, by);

  it('is created with its secret, and recorded once', async () => {
    const id = clientId();
    await put(id);
    await put(id);
    expect(await clients.find(id)).toMatchObject({ name: 'First', scopes: ['pdf', 'leads'], isActive: true });
    expect(await canAuthenticate(id, 'a secret')).toBe(true);
    expect(await newest(id)).toMatchObject({ action: 'oauth.putClient', before: null, after: { name: 'First' } });
    expect(await entries(id)).toBe(1);
  });

  it('gets its configured scopes and secret; other secrets end', async () => {
    const [id, other] = [clientId(), clientId()];
    await put(id);
    await put(other);
    await put(id, { clientSecret: 'a new secret', scopes: ['pdf', 'leads', 'ops'] });
    expect(await canAuthenticate(id, 'a secret')).toBe(false);
    expect(await canAuthenticate(id, 'a new secret')).toBe(true);
    expect(await canAuthenticate(other, 'a secret')).toBe(true);
    expect(await newest(id)).toMatchObject({
      before: { scopes: ['pdf', 'leads'] },
      after: { scopes: ['pdf', 'leads', 'ops'] },
    });
  });

  it('is activated again, and its secret no longer ends', async () => {
    const [id, other] = [clientId(), clientId()];
    await put(id);
    await put(other);
    await setEnd(id, 60);
    await clients.deactivate(id, by);
    await clients.deactivate(other, by);
    await put(id);
    expect((await clients.find(id))?.secrets).toMatchObject([{ expiresAt: null }]);
    expect(await canAuthenticate(id, 'a secret')).toBe(true);
    expect(await clients.find(other)).toMatchObject({ isActive: false });
  });

  it('loses its tokens when a scope is no longer configured', async () => {
    const id = clientId();
    await put(id);
    const token = await tokenOf(id, 'a secret');
    await put(id);
    await put(id, { scopes: ['leads', 'pdf', 'ops'] });
    expect(await isAlive(token)).toBe(true);
    await put(id, { scopes: ['pdf'] });
    expect(await isAlive(token)).toBe(false);
  });
});
