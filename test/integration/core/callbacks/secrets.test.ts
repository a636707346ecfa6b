/** The secrets that sign callbacks: one per client, and the previous one for a grace period. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, it } from 'vitest';
import { callbackSecretTable as table } from '../../../../core/callbacks/schema.ts';
import { createCallbackSecrets } from '../../../../core/callbacks/secrets.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('callback secrets');
const secrets = createCallbackSecrets(database);
let clientId: string;

beforeEach(() => {
  clientId = `client-${randomUUID()}`;
});

const live = async (of = clientId) => (await secrets.live(of)).map(({ secret }) => secret);
const setEnd = (seconds: number) =>
  database
    .update(table)
    .set({ expiresAt: sql`now() + ${seconds} * interval '1 second'` })
    .where(sql`${table.clientId} = ${clientId} and ${table.expiresAt} is not null`);

it('a client has one secret from its first use on, in the form of Standard Webhooks', async () => {
  const [first, ...others] = await secrets.live(clientId);
  expect(first).toEqual({ secret: expect.stringMatching(/^whsec_/), createdAt: expect.any(Date), expiresAt: null });
  expect(Buffer.from(first.secret.slice(6), 'base64')).toHaveLength(32);
  expect(others).toEqual([]);
  expect(await live()).toEqual([first.secret]);
});

it('concurrent first uses find the same secret', async () => {
  const found = await Promise.all(Array.from({ length: 6 }, () => live()));
  expect(new Set(found.flat()).size).toBe(1);
});

it('clients have different secrets', async () => {
  const other = `client-${randomUUID()}`;
  const [own, others] = [await live(), await live(other)];
  await secrets.rotate(clientId, 0);
  expect(await live(other)).toEqual(others);
  expect(others).not.toEqual(own);
});

it('after a rotation the previous secret signs for the grace period, after the new one', async () => {
  const [first] = await live();
  const rotated = await secrets.rotate(clientId, 600);
  expect(rotated.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false]);
  expect(rotated.map(({ secret }) => secret)).toEqual([expect.not.stringMatching(first ?? ''), first]);
  const end = rotated[1]?.expiresAt?.getTime() ?? 0;
  expect(end - Date.now()).toBeGreaterThan(540_000);
  expect(end - Date.now()).toBeLessThanOrEqual(601_000);
  expect(await live()).toEqual(rotated.map(({ secret }) => secret));
  await setEnd(-1);
  expect(await live()).toEqual([rotated[0].secret]);
});

it('a further rotation deletes all secrets but the previous one', async () => {
  await live();
  const [second] = await secrets.rotate(clientId, 600);
  const third = await secrets.rotate(clientId, 600);
  expect(third.slice(1).map(({ secret }) => secret)).toEqual([second.secret]);
  expect(await database.$count(table, eq(table.clientId, clientId))).toBe(2);
});

it('without a grace period only the new secret signs', async () => {
  const [first] = await live();
  const [second, ...others] = await secrets.rotate(clientId, 0);
  expect(second.secret).not.toBe(first);
  expect(others).toEqual([]);
});

it('the first rotation of a client creates its first secret', async () =>
  expect(await secrets.rotate(clientId, 600)).toMatchObject([{ expiresAt: null }]));

it('a client whose only secret ends gets a current one', async () => {
  const [first] = await live();
  await database.update(table).set({ expiresAt: sql`now() + interval '1 hour'` }).where(eq(table.clientId, clientId));
  const [current, previous] = await live();
  expect(current).not.toBe(first);
  expect(previous).toBe(first);
});
