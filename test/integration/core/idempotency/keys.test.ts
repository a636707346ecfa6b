/** Idempotency keys: one request at a time holds a key, and its response is stored for a day. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { createIdempotencyKeys, type KeyedRequest } from '../../../../core/idempotency/keys.ts';
import { idempotencyKeyTable as table } from '../../../../core/idempotency/schema.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('idempotency keys', 1);
const keys = createIdempotencyKeys(database);
let request: KeyedRequest;

beforeEach(() => {
  const key = randomUUID();
  request = { clientId: 'portal', operationId: 'things.create', key, fingerprint: 'first body', jobId: 'pdf_1' };
});

const response = { status: 201, headers: { location: '/v2/things/1' }, body: { id: '1' } };

/** The request holds the key. @returns the id of its lease */
async function claimed(given = request): Promise<string> {
  const { claimId } = await keys.claim(given);
  if (claimId === undefined) throw new Error('another request holds the key');
  return claimId;
}
async function answered(): Promise<string> {
  const claimId = await claimed();
  await keys.settle(request, claimId, response);
  return claimId;
}

const update = (set: object) => database.update(table).set(set).where(eq(table.key, request.key));
/** The process that held the key died. */
const endLease = () => update({ claimedUntil: sql`now() - interval '1 second'` });
const pass = (time: string) =>
  update({
    claimedUntil: sql`${table.claimedUntil} - ${time}::interval`,
    expiresAt: sql`${table.expiresAt} - ${time}::interval`,
  });
const leaseLeft = async () => {
  const [row] = await database
    .select({ seconds: sql`extract(epoch from ${table.claimedUntil} - now())`.mapWith(Number) })
    .from(table)
    .where(eq(table.key, request.key));
  return row?.seconds;
};

describe('a key', () => {
  it('is held by the first request; a second one learns of its job and body', async () => {
    const first = await keys.claim(request);
    expect(first).toEqual({
      claimId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      fingerprint: 'first body',
      jobId: 'pdf_1',
      answer: undefined,
    });
    const second = await keys.claim({ ...request, fingerprint: 'second body', jobId: 'pdf_2' });
    expect(second).toEqual({ claimId: undefined, fingerprint: 'first body', jobId: 'pdf_1', answer: undefined });
  });

  it('is held by one of several concurrent requests', async () => {
    const states = await Promise.all(Array.from({ length: 8 }, () => keys.claim(request)));
    expect(states.filter(({ claimId }) => claimId !== undefined)).toHaveLength(1);
  });

  it.each([
    ['client', { clientId: 'chat-bot' }],
    ['operation', { operationId: 'things.delete' }],
    ['text', { key: 'another' }],
  ])('of another %s is another key', async (_, other) => {
    const claimId = await claimed();
    const otherId = await claimed({ ...request, ...other });
    await keys.settle({ ...request, ...other }, otherId, { ...response, status: 204 });
    await keys.settle(request, claimId, response);
    expect((await keys.claim(request)).answer?.status).toBe(201);
    expect((await keys.claim({ ...request, ...other })).answer?.status).toBe(204);
  });

  it('returns the first response to every further request', async () => {
    await answered();
    const again = { claimId: undefined, fingerprint: 'first body', jobId: 'pdf_1', answer: response };
    expect(await keys.claim(request)).toEqual(again);
    expect(await keys.claim({ ...request, fingerprint: 'second body' })).toEqual(again);
  });

  it('returns a response without body and headers', async () => {
    await keys.settle(request, await claimed(), { status: 204, headers: {}, body: null });
    expect((await keys.claim(request)).answer).toEqual({ status: 204, headers: {}, body: null });
    await update({ headers: null });
    expect((await keys.claim(request)).answer).toEqual({ status: 204, headers: {}, body: null });
  });

  it('is free again after its request has released it', async () => {
    await keys.release(request, await claimed());
    expect(await keys.claim({ ...request, fingerprint: 'second body', jobId: 'pdf_2' })).toMatchObject({
      claimId: expect.any(String),
      jobId: 'pdf_2',
    });
  });

  it('is held by a request that arrives while it is released', async () => {
    await claimed();
    /** The first request releases the key between the two statements of the second one. */
    const racing = new Proxy(database, {
      get(target, name, receiver) {
        if (name === 'select') void target.pool.query('delete from idempotency_key where key = $1', [request.key]);
        return Reflect.get(target, name, receiver);
      },
    });
    expect(await createIdempotencyKeys(racing).claim({ ...request, jobId: 'pdf_2' })).toEqual({
      claimId: expect.any(String),
      fingerprint: 'first body',
      jobId: 'pdf_2',
      answer: undefined,
    });
  });
});

describe('the lease of a request', () => {
  it('lasts 15 s and is renewed', async () => {
    const claimId = await claimed();
    expect(await leaseLeft()).toBeGreaterThan(10);
    expect(await leaseLeft()).toBeLessThanOrEqual(15);
    await endLease();
    await keys.renew(request, claimId);
    expect(await leaseLeft()).toBeGreaterThan(10);
    expect((await keys.claim(request)).claimId).toBeUndefined();
  });

  it('is taken over after its end by the same request, with the job of the first one', async () => {
    await claimed();
    await endLease();
    const next = await keys.claim({ ...request, jobId: 'pdf_2' });
    expect(next).toMatchObject({ claimId: expect.any(String), jobId: 'pdf_1', answer: undefined });
    expect(await leaseLeft()).toBeGreaterThan(10);
    expect((await keys.claim(request)).claimId).toBeUndefined();
  });

  it('is not taken over by a request with another body', async () => {
    await claimed();
    await endLease();
    expect(await keys.claim({ ...request, fingerprint: 'second body' })).toMatchObject({
      claimId: undefined,
      fingerprint: 'first body',
    });
  });

  it('is not taken over after the response', async () => {
    await answered();
    await endLease();
    expect(await keys.claim(request)).toMatchObject({ claimId: undefined, answer: response });
  });

  it('that was taken over lets its first request change nothing', async () => {
    const lost = await claimed();
    await endLease();
    const current = await claimed();
    await endLease();
    await keys.renew(request, lost);
    expect(await leaseLeft()).toBeLessThan(0);
    await keys.bind(request, lost, 'pdf_3');
    await keys.settle(request, lost, response);
    await keys.release(request, lost);
    await keys.renew(request, current);
    expect(await keys.claim(request)).toMatchObject({ claimId: undefined, jobId: 'pdf_1', answer: undefined });
    await keys.settle(request, current, response);
    expect((await keys.claim(request)).answer).toEqual(response);
  });

  it('lets its request name another job, until the response', async () => {
    const claimId = await claimed();
    await keys.bind(request, claimId, 'pdf_2');
    expect((await keys.claim(request)).jobId).toBe('pdf_2');
    await keys.settle(request, claimId, response);
    await keys.bind(request, claimId, 'pdf_3');
    await keys.settle(request, claimId, { ...response, status: 500 });
    await keys.release(request, claimId);
    expect(await keys.claim(request)).toMatchObject({ jobId: 'pdf_2', answer: response });
  });
});

describe('a response', () => {
  it('is stored for 24 hours', async () => {
    await answered();
    await pass('23 hours 59 minutes');
    expect((await keys.claim({ ...request, fingerprint: 'second body' })).answer).toEqual(response);
  });

  it('is forgotten afterwards: another request may use the key, with its own body and job', async () => {
    await answered();
    await pass('24 hours 1 second');
    const second = { ...request, fingerprint: 'second body', jobId: 'pdf_2' };
    expect(await keys.claim(second)).toMatchObject({ claimId: expect.any(String), jobId: 'pdf_2' });
    expect(await keys.claim(request)).toEqual({
      claimId: undefined,
      fingerprint: 'second body',
      jobId: 'pdf_2',
      answer: undefined,
    });
    await pass('23 hours 59 minutes');
    expect((await keys.claim(request)).fingerprint).toBe('second body');
  });

  it('is stored for 24 hours from the request that took the lease over', async () => {
    await claimed();
    await pass('23 hours');
    await claimed();
    await pass('23 hours');
    expect(await keys.claim({ ...request, fingerprint: 'second body' })).toMatchObject({ claimId: undefined });
  });
});
