/** Client authentication and access tokens. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientWithNewSecret, createOauthClients } from '../../../../core/oauth/clients.ts';
import { newCredential } from '../../../../core/oauth/credentials.ts';
import {
  oauthClientTable as client,
  oauthSecretTable as secret,
  oauthTokenTable as token,
} from '../../../../core/oauth/schema.ts';
import { createOauthStore, type OauthStore } from '../../../../core/oauth/tokens.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('oauth tokens');
const clients = createOauthClients(database);
let store: OauthStore;
let portal: ClientWithNewSecret;

const by = { kind: 'command', name: 'test' } as const;
const given = { name: 'Portal', description: '', scopes: ['pdf', 'leads'], tokenLifetimeSeconds: 600 };
const create = () => clients.create(given, by);
beforeEach(async () => {
  store = createOauthStore(database);
  portal = await create();
});

const authenticate = (clientSecret: string, clientId = portal.clientId) => store.authenticate(clientId, clientSecret);
const issue = async (scopes: readonly string[] = given.scopes) => (await store.issueToken(portal, scopes)).accessToken;
const minutesAgo = (minutes: number) => sql`now() - ${minutes} * interval '1 minute'`;
const isRecent = (time: Date | null | undefined) => time != null && Date.now() - time.getTime() < 30_000;

describe('a client', () => {
  it('authenticates with its id and secret', async () =>
    expect(await authenticate(portal.clientSecret)).toMatchObject({ ...given, clientId: portal.clientId }));

  it.each([
    ['another secret', () => [newCredential('secret'), portal.clientId]],
    ['an empty secret', () => ['', portal.clientId]],
    ['the secret of another client', async () => [(await create()).clientSecret, portal.clientId]],
    ['an unknown id', () => [portal.clientSecret, randomUUID()]],
    ['an unknown id and an empty secret', () => ['', randomUUID()]],
  ])('does not authenticate with %s', async (_, credentials) => {
    const [clientSecret, clientId] = await credentials();
    expect(await authenticate(clientSecret ?? '', clientId)).toBeUndefined();
  });

  it('authenticates with each of its secrets until its end', async () => {
    const next = await clients.rotateSecret(portal.clientId, 60, by);
    for (const one of [portal.clientSecret, next?.clientSecret ?? '']) expect(await authenticate(one)).toBeDefined();
    await database
      .update(secret)
      .set({ expiresAt: minutesAgo(1) })
      .where(sql`${secret.expiresAt} is not null`);
    expect(await authenticate(portal.clientSecret)).toBeUndefined();
    expect(await authenticate(next?.clientSecret ?? '')).toBeDefined();
  });

  it('does not authenticate while it is inactive', async () => {
    await clients.deactivate(portal.clientId, by);
    expect(await authenticate(portal.clientSecret)).toBeUndefined();
  });
});

describe('a token', () => {
  it('is valid for the lifetime that its client has', async () => {
    const issued = await store.issueToken(portal, ['pdf']);
    expect(issued).toEqual({ accessToken: expect.stringMatching(/^pst_/), expiresInSeconds: 600, scopes: ['pdf'] });
    expect(await store.findHolder(issued.accessToken)).toEqual({ clientId: portal.clientId, scopes: ['pdf'] });
    const found = await store.findToken(issued.accessToken);
    expect(found).toEqual({
      clientId: portal.clientId,
      scopes: ['pdf'],
      issuedAt: expect.any(Date),
      expiresAt: expect.any(Date),
    });
    expect((found?.expiresAt.getTime() ?? 0) - (found?.issuedAt.getTime() ?? 0)).toBe(600_000);
  });

  it('is not valid after its end', async () => {
    const accessToken = await issue();
    await database
      .update(token)
      .set({ expiresAt: minutesAgo(1) })
      .where(eq(token.clientId, portal.clientId));
    expect(await store.findHolder(accessToken)).toBeUndefined();
    expect(await store.findToken(accessToken)).toBeUndefined();
  });

  it('is not valid while its client is inactive', async () => {
    const accessToken = await issue();
    await database.update(client).set({ isActive: false }).where(eq(client.clientId, portal.clientId));
    expect(await store.findHolder(accessToken)).toBeUndefined();
  });

  it('has the scopes that its client still has', async () => {
    const accessToken = await issue();
    await database
      .update(client)
      .set({ scopes: ['leads', 'ops'] })
      .where(eq(client.clientId, portal.clientId));
    expect((await store.findHolder(accessToken))?.scopes).toEqual(['leads']);
    expect((await store.findToken(accessToken))?.scopes).toEqual(['leads']);
  });

  it('is found beside other tokens that are read at the same time', async () => {
    const tokens = [await issue(['pdf']), newCredential('token'), await issue(['leads'])];
    const holders = await Promise.all(tokens.map(one => store.findHolder(one)));
    expect(holders.map(holder => holder?.scopes)).toEqual([['pdf'], undefined, ['leads']]);
  });

  it('that is mistyped is rejected without a query', async () => {
    const execute = vi.spyOn(database.pool, 'query');
    const mistyped = `${(await issue()).slice(0, -1)}!`;
    execute.mockClear();
    expect(await store.findHolder(mistyped)).toBeUndefined();
    expect(execute).not.toHaveBeenCalled();
    execute.mockRestore();
  });

  it('can be revoked by its client only', async () => {
    const [accessToken, kept] = [await issue(), await issue()];
    await store.revokeToken(accessToken, (await create()).clientId);
    expect(await store.findToken(accessToken)).toBeDefined();
    await store.revokeToken(accessToken, portal.clientId);
    expect(await store.findToken(accessToken)).toBeUndefined();
    expect(await store.findToken(kept)).toBeDefined();
  });
});

describe('the last use', () => {
  const lastUse = async () => {
    const found = await clients.find(portal.clientId);
    return { client: found?.lastUsedAt, secret: found?.secrets[0]?.lastUsedAt };
  };
  const setLastUse = async (minutes: number) => {
    const lastUsedAt = minutesAgo(minutes);
    await database.update(client).set({ lastUsedAt }).where(eq(client.clientId, portal.clientId));
    await database.update(secret).set({ lastUsedAt }).where(eq(secret.clientId, portal.clientId));
  };

  it('of a client and its secret is recorded when it authenticates', async () => {
    const other = await create();
    await authenticate(newCredential('secret'));
    expect(await lastUse()).toEqual({ client: null, secret: null });
    await authenticate(portal.clientSecret);
    const used = await lastUse();
    expect([used.client, used.secret].map(isRecent)).toEqual([true, true]);
    expect(await clients.find(other.clientId)).toMatchObject({ lastUsedAt: null, secrets: [{ lastUsedAt: null }] });
  });

  it('of a client is recorded when its token is used, but not when it is only looked up', async () => {
    const other = await create();
    const accessToken = await issue();
    await store.findToken(accessToken);
    expect((await lastUse()).client).toBeNull();
    await store.findHolder(accessToken);
    expect(isRecent((await lastUse()).client)).toBe(true);
    expect((await lastUse()).secret).toBeNull();
    expect((await clients.find(other.clientId))?.lastUsedAt).toBeNull();
  });

  it('is recorded once a minute', async () => {
    const accessToken = await issue();
    const use = async () => {
      await authenticate(portal.clientSecret);
      await store.findHolder(accessToken);
      return await lastUse();
    };
    await setLastUse(0.8);
    const before = await lastUse();
    expect(await use()).toEqual(before);
    await setLastUse(1.1);
    const after = await use();
    expect([after.client, after.secret].map(isRecent)).toEqual([true, true]);
  });

  it('of the other secrets stays as it is', async () => {
    const next = await clients.rotateSecret(portal.clientId, 60, by);
    await authenticate(next?.clientSecret ?? '');
    const secrets = (await clients.find(portal.clientId))?.secrets;
    expect(secrets?.map(({ lastUsedAt }) => isRecent(lastUsedAt))).toEqual([true, false]);
  });
});
