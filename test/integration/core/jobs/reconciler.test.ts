/** The reconciler: requeues lost jobs, page by page. */
import { eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { insertCallback } from '../../../../core/callbacks/outbox.ts';
import { defineJob, type JobContract } from '../../../../core/jobs/contract.ts';
import { openQueues, type Queues } from '../../../../core/jobs/queues.ts';
import { reconcileJobs, workerDiedProblem } from '../../../../core/jobs/reconciler.ts';
import { createJobEvents, type JobEvents } from '../../../../core/jobs/repository/events.ts';
import { createJobRecords, type JobRecords } from '../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { type JobService, openJobService } from '../../../../core/jobs/service.ts';
import type { Database } from '../../../../core/postgres/client.ts';
import { openTestDatabase } from '../../../support/test-database.ts';

const trial = defineJob({
  kind: 'trial',
  summary: 'Does nothing.',
  payload: z.object({}),
  result: z.object({}),
  attempts: 4,
  backoffMs: 250,
  timeoutMs: 60_000,
  concurrency: 1,
});
const contracts: ReadonlyMap<string, JobContract> = new Map([['trial', trial]]);
const logger = pino({ level: 'silent' });
const info = vi.spyOn(logger, 'info');

let close: () => Promise<void>;
let database: Database;
let queues: Queues;
let records: JobRecords;
let events: JobEvents;
let jobs: JobService;

beforeAll(async () => {
  const opened = await openTestDatabase('reconciler');
  database = opened.database;
  queues = await openQueues({ redis: undefined, databaseUrl: opened.url }, logger);
  records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });
  events = createJobEvents(database);
  jobs = openJobService({ queues, records, results: { has: async () => true }, logger });
  close = async () => {
    await queues.close();
    await opened.close();
  };
});
afterAll(() => close?.());
beforeEach(async () => {
  await database.delete(jobTable);
  info.mockClear();
});

const message = (id: string) => queues.boardQueue(trial).getJob(id);
/** A job without a heartbeat for 21 s. */
async function stale(state = 'queued'): Promise<string> {
  const { id } = await jobs.submit(trial, { clientId: 'portal', payload: {} });
  await age(id, 21, { state });
  return id;
}
const age = (id: string, seconds: number, change: object = {}) =>
  database
    .update(jobTable)
    .set({ touchedAt: sql`now() - ${seconds} * interval '1 second'`, ...change })
    .where(eq(jobTable.id, id));
const reconcile = (signal?: AbortSignal, own = records) =>
  reconcileJobs(contracts, { queues, records: own, events, jobs, logger }, signal);
const putBack = async (id: string) =>
  (await events.timeline(id, 0, 100)).filter(({ type }) => type === 'put-back').length;

describe('the reconciler', () => {
  it.each(['queued', 'scheduled', 'running'])('requeues a %s job whose message is lost', async state => {
    const [lost, intact] = [await stale(state), await stale(state)];
    await (await message(lost))?.remove();
    const counts = { cancelled: 0, checked: 2, requeued: 1 };
    expect(await reconcile()).toEqual(counts);
    expect(await message(lost)).toMatchObject({ data: {}, opts: { attempts: 4 } });
    expect([await putBack(lost), await putBack(intact)]).toEqual([1, 0]);
    expect(info).toHaveBeenCalledExactlyOnceWith({ jobs: 1 }, 'lost jobs requeued');
    // Both were checked just now.
    expect(await reconcile()).toEqual({ ...counts, checked: 0, requeued: 0 });
  });

  it.each(['completed', 'failed'] as const)('requeues a job whose message has %s', async state => {
    const id = await stale();
    const worker = queues.worker(
      trial,
      async () => {
        if (state === 'failed') throw Object.assign(new Error('It broke.'), { name: 'UnrecoverableError' });
      },
      () => undefined,
    );
    const stateOf = async () => (await message(id))?.getState();
    await expect.poll(stateOf).toBe(state);
    await worker.close();
    expect(await reconcile()).toMatchObject({ checked: 1, requeued: 1 });
    expect(await stateOf()).toBe('prioritized');
  });

  it('leaves alone jobs with a heartbeat within 20 s, and those that have ended or are held', async () => {
    const recent = await stale();
    await age(recent, 19);
    for (const id of [recent, await stale('held'), await stale('failed')]) await (await message(id))?.remove();
    expect(await reconcile()).toMatchObject({ checked: 0, requeued: 0 });
    expect(info).not.toHaveBeenCalled();
  });

  it('leaves jobs of kinds that it does not know to others', async () => {
    const id = await stale();
    await age(id, 21, { kind: 'unknown' });
    await (await message(id))?.remove();
    expect(await reconcile()).toMatchObject({ checked: 1, requeued: 0 });
    expect(await message(id)).toBeUndefined();
  });

  it('requeues a lost job with its priority', async () => {
    await stale();
    const second = await stale();
    await (await message(second))?.remove();
    expect(await reconcile()).toMatchObject({ checked: 2, requeued: 1 });
    expect((await message(second))?.priority).toBe(2);
  });

  it('cancels overdue jobs', async () => {
    const late = await stale();
    await age(late, 21, { startBy: new Date(Date.now() - 1_000) });
    expect(await reconcile()).toMatchObject({ cancelled: 1, checked: 0 });
    expect(await records.find(late)).toMatchObject({ state: 'cancelled' });
    expect(info).toHaveBeenCalledExactlyOnceWith({ jobs: 1 }, 'jobs cancelled: no run before their startBy');
  });
});

describe('more stale jobs than a page', () => {
  const insertMany = () =>
    database.execute(sql`
      insert into job (id, kind, client_id, payload, attempts_max, touched_at)
      select 'unknown_' || n, 'unknown', 'portal', '{}', 1, now() - interval '1 minute' from generate_series(1, 501) as n`);

  it('are all checked, each once', async () => {
    await insertMany();
    expect(await reconcile()).toMatchObject({ checked: 501 });
  });

  it('are checked up to the present page when the process ends', async () => {
    await insertMany();
    const end = new AbortController();
    const findStale: JobRecords['findStale'] = (...given) => {
      end.abort();
      return records.findStale(...given);
    };
    expect(await reconcile(end.signal, { ...records, findStale })).toMatchObject({ checked: 500 });
    expect(await reconcile(end.signal)).toMatchObject({ checked: 0 });
  });
});

it('the problem of a job whose workers died names the job', () =>
  expect(workerDiedProblem('pdf_1')).toMatchObject({ status: 500, instance: '/jobs/pdf_1' }));
