/** Delivery of callbacks: which outcome ends, repeats or fails it. Receivers are simulated; connections are tested elsewhere. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openDelivery } from '../../../../core/callbacks/deliver.ts';
import { createCallbackOutbox, insertCallback } from '../../../../core/callbacks/outbox.ts';
import { jobCallbackTable as callback } from '../../../../core/callbacks/schema.ts';
import { createCallbackSecrets } from '../../../../core/callbacks/secrets.ts';
import { EgressError, type EgressReason } from '../../../../core/egress/egress-error.ts';
import type { GuardedAnswer, GuardedRequest } from '../../../../core/egress/guarded-fetch.ts';
import { newJobId } from '../../../../core/jobs/contract.ts';
import { createJobEvents } from '../../../../core/jobs/repository/events.ts';
import { createJobRecords } from '../../../../core/jobs/repository/repository.ts';
import { JobResource } from '../../../../core/jobs/resource.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { callbackTries } from '../../../../core/telemetry/meter.ts';
import { gate } from '../../../support/gate.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const url = 'https://receiver.example/hook?token=1';
const baseUrl = 'https://portal.example/v2';

const { database } = await useTestDatabase('callback delivery');
const records = createJobRecords(database, { resultRetentionHours: 1, insertCallback });
const events = createJobEvents(database);
const outbox = createCallbackOutbox(database);
const secrets = createCallbackSecrets(database);
let clientId: string;
/** What the receiver answers. */
let answer: (url: string, request: GuardedRequest) => Promise<number>;
const requests: { url: string; request: GuardedRequest }[] = [];
const onFree = vi.fn();

beforeEach(async () => {
  await database.delete(jobTable);
  clientId = `client-${randomUUID()}`;
  requests.length = 0;
  onFree.mockReset();
  answer = async () => 204;
});

const fetcher = {
  async fetch(to: string, request: GuardedRequest): Promise<GuardedAnswer> {
    requests.push({ url: to, request });
    return { status: await answer(to, request), headers: {}, bytes: Buffer.alloc(0), url: to };
  },
  close: async () => undefined,
};
const open = () =>
  openDelivery({ outbox, secrets, records, events, fetcher, logger }, { baseUrl, retrySeconds: [100, 1_000] }, onFree);
async function deliver(): Promise<void> {
  const delivery = open();
  await delivery.startDue();
  await delivery.idle();
}

/** A cancelled job with a callback. */
async function ended(of = clientId): Promise<string> {
  const { id } = await records.create({
    id: newJobId('trial'),
    kind: 'trial',
    clientId: of,
    payload: {},
    attemptsMax: 1,
    callbackUrl: url,
  });
  await records.requestCancel(id);
  return id;
}
const row = async (id: string) => (await database.select().from(callback).where(eq(callback.jobId, id)))[0];
const rejecting = (reason: EgressReason, status?: number) => () =>
  Promise.reject(new EgressError(reason, 'the server answered badly', status === undefined ? {} : { status }));
/** Seconds until the next try. */
const untilNext = async (id: string) => (((await row(id))?.nextTryAt?.getTime() ?? 0) - Date.now()) / 1_000;
/** A second ago, because the clocks of two cores of a virtual machine may differ. */
const makeDue = () => database.update(callback).set({ nextTryAt: sql`now() - interval '1 second'` });

describe('a callback', () => {
  it('is posted with the job at its end, signed with all live secrets of its client', async () => {
    const [previous] = await secrets.live(clientId);
    const [current] = await secrets.rotate(clientId, 600);
    const id = await ended();
    await deliver();
    expect(requests).toHaveLength(1);
    const [{ url: to, request } = { url: '', request: undefined }] = requests;
    expect(to).toBe(url);
    expect(request).toMatchObject({ method: 'POST', maxBytes: 64_000, timeoutMs: 15_000 });
    const headers = { ...request?.headers };
    const end = (await events.changesAfter(id, 0, 10)).at(-1);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': `${id}_${end?.id}` });
    for (const { secret } of [previous, current]) {
      const job = JobResource.parse(new Webhook(secret).verify(String(request?.body), headers));
      expect(job).toMatchObject({ id, state: 'cancelled', callback: null, links: { self: `${baseUrl}/jobs/${id}` } });
    }
    expect(await row(id)).toMatchObject({ state: 'delivered', tries: 1, lastStatus: 204, nextTryAt: null });
  });

  it('is retried after a failure, with the waits ±10 %, until the last try', async () => {
    answer = rejecting('status', 500);
    const id = await ended();
    await deliver();
    expect(await row(id)).toMatchObject({
      state: 'pending',
      tries: 1,
      lastStatus: 500,
      lastError: 'the server answered badly',
    });
    expect(await untilNext(id)).toBeGreaterThan(70);
    expect(await untilNext(id)).toBeLessThanOrEqual(110);
    await makeDue();
    await deliver();
    expect(await row(id)).toMatchObject({ state: 'pending', tries: 2 });
    expect(await untilNext(id)).toBeGreaterThan(870);
    expect(await untilNext(id)).toBeLessThanOrEqual(1_100);
    await makeDue();
    await deliver();
    expect(await row(id)).toMatchObject({ state: 'failed', tries: 3, nextTryAt: null });
    expect(new Set(requests.map(({ request }) => request.headers?.['webhook-id'])).size).toBe(1);
  });

  it.each([0, 0.5, 0.999])('is retried after a wait with jitter: %d', async random => {
    const chance = vi.spyOn(Math, 'random').mockReturnValue(random);
    answer = rejecting('timeout');
    const id = await ended();
    await deliver();
    chance.mockRestore();
    const [tried] = (await events.timeline(id, 0, 100)).filter(({ type }) => type === 'callback-tried');
    const nextTryAt = new Date(String(Reflect.get(Object(tried?.data), 'nextTryAt'))).getTime();
    const wait = (nextTryAt - (tried?.at.getTime() ?? 0)) / 1_000;
    expect(Math.abs(wait - (90 + 20 * random))).toBeLessThan(4);
  });

  it.each<[EgressReason, number | undefined, string]>([
    ['status', 410, 'failed'],
    ['url', undefined, 'failed'],
    ['scheme', undefined, 'failed'],
    ['credentials', undefined, 'failed'],
    ['port', undefined, 'failed'],
    ['address', undefined, 'failed'],
    ['status', 404, 'pending'],
    ['redirects', undefined, 'pending'],
    ['timeout', undefined, 'pending'],
    ['unreachable', undefined, 'pending'],
  ])('that ends with %s %s is %s', async (reason, status, state) => {
    answer = rejecting(reason, status);
    const id = await ended();
    await deliver();
    expect(await row(id)).toMatchObject({ state, tries: 1, lastStatus: status ?? null });
    expect((await row(id))?.nextTryAt === null).toBe(state === 'failed');
  });

  it.each<EgressReason>(['too-large', 'encoding'])('whose answer is %s was received', async reason => {
    answer = rejecting(reason);
    const id = await ended();
    await deliver();
    expect(await row(id)).toMatchObject({ state: 'delivered', lastStatus: 200, lastError: null, nextTryAt: null });
  });

  it.each<[string, object]>([
    ['job', { records: { find: async () => undefined } }],
    ['end of the job', { events: { changesAfter: async () => [] } }],
  ])('is not posted when the %s was deleted since', async (_, missing) => {
    await ended();
    const warn = vi.spyOn(logger, 'warn');
    const context = { outbox, secrets, records, events, fetcher, logger, ...missing };
    const delivery = openDelivery(context, { baseUrl, retrySeconds: [] }, onFree);
    await delivery.startDue();
    await delivery.idle();
    expect(requests).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('stays claimed when the service itself fails; its lease ends later', async () => {
    const warn = vi.spyOn(logger, 'warn');
    const error = new Error('The database broke off.');
    answer = () => Promise.reject(error);
    const id = await ended();
    await deliver();
    expect(warn).toHaveBeenCalledExactlyOnceWith({ err: error, jobId: id }, 'callback failed; will be retried');
    expect(await row(id)).toMatchObject({ state: 'pending', tries: 1, lastStatus: null, lastError: null });
    expect(await untilNext(id)).toBeGreaterThan(30);
    warn.mockRestore();
  });

  it('is counted and logged by its outcome, without the address', async () => {
    const info = vi.spyOn(logger, 'info');
    const counted = async (outcome: string) =>
      (await callbackTries.get()).values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
    const outcomes = ['delivered', 'pending', 'failed'];
    const [delivered = 0, pending = 0, failed = 0] = await Promise.all(outcomes.map(counted));
    const id = await ended();
    await deliver();
    expect(info).toHaveBeenCalledExactlyOnceWith(
      { jobId: id, host: 'receiver.example', try: 1, status: 204, error: null, nextTryAt: null },
      'callback tried',
    );
    for (const status of [500, 502, 410]) {
      answer = rejecting('status', status);
      await ended();
      await deliver();
    }
    expect(await Promise.all(outcomes.map(counted))).toEqual([delivered + 1, pending + 2, failed + 1]);
    info.mockRestore();
  });
});

describe('deliveries', () => {
  /** Receivers that answer when the test lets them. */
  function slow() {
    const { open: release, opened } = gate();
    answer = async () => {
      await opened;
      return 204;
    };
    return release;
  }
  const sent = (count: number) => expect.poll(() => requests.length).toBe(count);

  it('are at most five per client and twenty in all', async () => {
    const release = slow();
    const many = Array.from({ length: 6 }, (_, index) => `${clientId}-${index}`);
    for (const id of many) for (const _ of [1, 2, 3, 4, 5, 6]) await ended(id);
    const delivery = open();
    await delivery.startDue();
    await sent(20);
    await delivery.startDue();
    expect(await database.$count(callback, eq(callback.tries, 1))).toBe(20);
    const { rows } = await database.execute(sql`
      select count(*)::int as claimed from job_callback join job on job.id = job_id where tries = 1
      group by client_id order by 1 desc`);
    expect(Math.max(...rows.map(({ claimed }) => Number(claimed)))).toBeLessThanOrEqual(5);
    release();
    await delivery.idle();
    // The ends of the deliveries ask for the rest.
    expect(onFree).toHaveBeenCalledTimes(20);
  });

  it('of a client in progress count towards its limit', async () => {
    const release = slow();
    for (const _ of [1, 2, 3, 4, 5, 6, 7]) await ended();
    const delivery = open();
    await delivery.startDue();
    await sent(5);
    await delivery.startDue();
    expect(await database.$count(callback, eq(callback.tries, 1))).toBe(5);
    release();
    await delivery.idle();
    await delivery.startDue();
    await delivery.idle();
    expect(requests).toHaveLength(7);
  });

  it('that end ask for more while there may be more', async () => {
    const delivery = open();
    await delivery.startDue();
    expect(onFree).not.toHaveBeenCalled();
    await ended();
    await delivery.startDue();
    await delivery.idle();
    expect(onFree).toHaveBeenCalledTimes(1);
    await ended();
    const release = slow();
    await delivery.startDue();
    await delivery.startDue();
    release();
    await delivery.idle();
    // The second look found nothing more.
    expect(onFree).toHaveBeenCalledTimes(1);
  });
});
