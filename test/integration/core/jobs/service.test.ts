/** Accepting, cancelling, retrying and releasing jobs: first the row, then the message in the queue. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { insertCallback } from '../../../../core/callbacks/outbox.ts';
import { defineJob, newJobId } from '../../../../core/jobs/contract.ts';
import { type JobQueue, openQueues, type Queues } from '../../../../core/jobs/queues.ts';
import { createJobRecords, type JobRecords } from '../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { type JobService, openJobService } from '../../../../core/jobs/service.ts';
import type { Database } from '../../../../core/postgres/client.ts';
import { openTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const common = {
  summary: 'Prints a list.',
  payload: z.object({ list: z.array(z.string()).default([]) }),
  result: z.object({}),
  attempts: 4,
  backoffMs: 250,
  timeoutMs: 60_000,
  concurrency: 1,
};
const trial = defineJob({ ...common, kind: 'trial', exclusive: ({ list }) => list[0] });
const printed = defineJob({ ...common, kind: 'printed', hasFile: true });
const limited = defineJob({ ...common, kind: 'limited' });
const operator = { kind: 'operator', name: 'someone' } as const;

let close: () => Promise<void>;
let database: Database;
let queues: Queues;
let records: JobRecords;
/** The files that the result store has. */
const stored = new Set<string>();
const results = { has: async (key: string) => stored.has(key) };
let jobs: JobService;
let clientId: string;

beforeAll(async () => {
  const opened = await openTestDatabase('job service');
  database = opened.database;
  queues = await openQueues({ redis: undefined, databaseUrl: opened.url }, logger);
  records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });
  jobs = openJobService({ queues, records, results, logger });
  close = async () => {
    await queues.close();
    await opened.close();
  };
});
afterAll(() => close?.());
beforeEach(() => {
  clientId = `client-${randomUUID()}`;
});

const message = (id: string, contract = trial) => queues.boardQueue(contract).getJob(id);
const setState = (id: string, state: string, change: object = {}) =>
  database
    .update(jobTable)
    .set({ ...change, state: sql`${state}` })
    .where(eq(jobTable.id, id));
const submit = (payload: unknown = {}, contract = trial) => jobs.submit(contract, { clientId, payload });
/** A job whose message is no longer in the queue, as after its run. */
async function ended(state: string, change: object = {}, contract = trial): Promise<string> {
  const { id } = await submit({}, contract);
  await (await message(id, contract))?.remove();
  await setState(id, state, change);
  return id;
}

describe('a submitted job', () => {
  it('has a row, and a message with its payload, position and retries', async () => {
    const job = await jobs.submit(trial, { clientId, payload: {}, startBy: new Date('2030-01-31T08:00:00Z') });
    expect(job).toMatchObject({
      kind: 'trial',
      clientId,
      payload: { list: [] },
      attemptsMax: 4,
      exclusiveKey: null,
      state: 'queued',
      id: expect.stringMatching(/^trial_/),
      startBy: new Date('2030-01-31T08:00:00Z'),
    });
    expect(await records.find(job.id)).toEqual(job);
    const queued = await message(job.id);
    expect(queued).toMatchObject({ name: 'trial', data: { list: [] }, priority: job.priority });
    expect(queued?.opts).toMatchObject({ attempts: 4, backoff: { type: 'exponential', delay: 250, jitter: 0.5 } });
  });

  it('with a given id is inserted once', async () => {
    const id = newJobId('trial');
    const first = await jobs.submit(trial, { clientId, payload: { list: [] }, id });
    expect(await jobs.submit(trial, { clientId, payload: { list: [] }, id })).toEqual(first);
    expect(first.id).toBe(id);
  });

  it('must match the contract', async () => {
    await expect(submit({ list: 'a' })).rejects.toThrow(z.ZodError);
    expect(await records.list({ clientId, limit: 10 })).toEqual([]);
  });

  it('is the open job with its exclusive key, of which nothing is enqueued again', async () => {
    const key = randomUUID();
    const first = await submit({ list: [key] });
    await (await message(first.id))?.remove();
    const second = await submit({ list: [key, 'more'] });
    expect(second).toEqual(first);
    expect(await message(first.id)).toBeUndefined();
    expect(await records.list({ clientId, limit: 10 })).toHaveLength(1);
  });

  it('is rejected above the limit of open jobs, with a callback as well', async () => {
    const full = { clientId, payload: {}, maxOpen: 2 };
    await jobs.submit(limited, full);
    await jobs.submit(limited, { ...full, callbackUrl: 'https://a.example/' });
    const rejected = { code: 'too-many-requests', retryAfterSeconds: 10 };
    await expect(jobs.submit(limited, full)).rejects.toMatchObject(rejected);
    await expect(jobs.submit(limited, { ...full, callbackUrl: 'https://a.example/' })).rejects.toMatchObject(rejected);
    expect(await jobs.submit(limited, { ...full, clientId: `${clientId}-other` })).toMatchObject({ state: 'queued' });
  });
});

describe('a cancelled job', () => {
  it('is removed from the queue', async () => {
    const { id } = await submit();
    expect(await jobs.cancel(trial, id)).toMatchObject({ id, state: 'cancelled' });
    expect(await message(id)).toBeUndefined();
  });

  it('keeps its message while it runs', async () => {
    const { id } = await submit();
    await setState(id, 'running');
    expect(await jobs.cancel(trial, id, operator)).toMatchObject({ state: 'running' });
    expect(await message(id)).toBeDefined();
  });

  it('must exist', async () => expect(await jobs.cancel(trial, 'trial_unknown')).toBeUndefined());
});

describe('a retried job', () => {
  const file = { key: 'kept', contentType: 'application/pdf', fileName: 'a.pdf', bytes: 1, sha256: 'b' };
  const later = () => new Date(Date.now() + 60_000);
  const conflict = {
    code: 'conflict',
    message: 'Only a failed or cancelled job, or one whose file is gone, can be retried; a held job can be released.',
  };
  beforeEach(() => {
    stored.clear();
    stored.add('kept');
  });

  it.each(['failed', 'cancelled'])('that has %s is enqueued again', async state => {
    const id = await ended(state, { attemptsMade: 4 });
    expect(await jobs.retry(trial, id, operator)).toMatchObject({ id, state: 'queued', attemptsMade: 0 });
    expect(await message(id)).toBeDefined();
  });

  it.each<[string, object]>([
    ['whose file is lost', { resultFile: { ...file, key: 'lost' }, resultExpiresAt: later() }],
    ['whose file is expired', { resultFile: file, resultExpiresAt: new Date(Date.now() - 1_000) }],
    ['whose file is lost and has no expiry', { resultFile: { ...file, key: 'lost' } }],
  ])('%s is enqueued again', async (_, change) => {
    const id = await ended('succeeded', change);
    expect(await jobs.retry(trial, id)).toMatchObject({ state: 'queued' });
    expect(await message(id)).toBeDefined();
  });

  it.each<[string, string, object]>([
    ['has succeeded with a file', 'succeeded', { resultFile: file, resultExpiresAt: later() }],
    ['has succeeded without a file', 'succeeded', {}],
    ['is queued', 'queued', {}],
    ['is held', 'held', {}],
    ['is held with a lost file', 'held', { resultFile: { ...file, key: 'lost' } }],
  ])('must not be one that %s', async (_, state, change) => {
    const id = await ended(state, change);
    await expect(jobs.retry(trial, id)).rejects.toMatchObject(conflict);
    expect(await records.find(id)).toMatchObject({ state });
    expect(await message(id)).toBeUndefined();
  });

  it('of a kind with files is enqueued again when its file was deleted', async () => {
    const id = await ended('succeeded', {}, printed);
    expect(await jobs.retry(printed, id)).toMatchObject({ state: 'queued' });
    await expect(jobs.retry(printed, await ended('running', {}, printed))).rejects.toMatchObject(conflict);
    await expect(jobs.retry(printed, 'printed_unknown')).rejects.toMatchObject(conflict);
  });
});

describe('a released job', () => {
  it('is enqueued again', async () => {
    const id = await ended('held');
    expect(await jobs.release(trial, id, operator)).toMatchObject({ id, state: 'queued' });
    expect(await message(id)).toBeDefined();
  });

  it('must be held', async () => {
    const id = await ended('failed');
    const rejected = { code: 'conflict', message: 'Only a held job can be released.' };
    await expect(jobs.release(trial, id, operator)).rejects.toMatchObject(rejected);
    expect(await message(id)).toBeUndefined();
  });
});

it('a requeued job has a new message in place of the old one', async () => {
  const job = await submit();
  await (await message(job.id))?.changePriority({ priority: 7 });
  await jobs.requeue(trial, job);
  expect((await message(job.id))?.priority).toBe(job.priority);
  await (await message(job.id))?.remove();
  await jobs.requeue(trial, job);
  expect(await message(job.id)).toBeDefined();
});

describe('while the queue', () => {
  type Message = NonNullable<Awaited<ReturnType<JobQueue['getJob']>>>;
  const warn = vi.spyOn(logger, 'warn');
  const withQueue = (queue: Partial<Pick<JobQueue, 'add' | 'getJob'>>) =>
    openJobService({
      queues: { ...queues, queue: contract => Object.assign(Object.create(queues.queue(contract)), queue) },
      records,
      results,
      logger,
    });
  beforeEach(() => warn.mockClear());

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('Redis is gone.'))],
    ['does not answer', () => new Promise(() => {})],
  ])('%s, jobs are accepted and left to the reconciler', async (_, add) => {
    const startedAt = Date.now();
    const job = await withQueue({ add }).submit(trial, { clientId, payload: {} });
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(await records.find(job.id)).toMatchObject({ state: 'queued' });
    expect(warn).toHaveBeenCalledWith(
      { err: expect.any(Error), jobId: job.id },
      'the job could not be enqueued; the reconciler enqueues it later',
    );
  });

  it('still has the locked message of the last run, a retried job waits for its removal', async () => {
    const id = await ended('failed');
    let tries = 0;
    const locked: Pick<Message, 'remove'> = {
      remove: async () => {
        tries += 1;
        if (tries < 3) throw new Error('The message is locked.');
      },
    };
    const added = vi.fn();
    const service = withQueue({ getJob: async () => Object.assign(Object.create(null), locked), add: added });
    await service.retry(trial, id);
    expect(tries).toBe(3);
    expect(added).toHaveBeenCalledTimes(1);
    expect(warn).not.toHaveBeenCalled();
  });

  it('does not release the message, a retried job is enqueued all the same', async () => {
    const id = await ended('failed');
    const getJob = () => Promise.reject(new Error('The message is locked.'));
    const added = vi.fn();
    expect(await withQueue({ getJob, add: added }).retry(trial, id)).toMatchObject({ state: 'queued' });
    expect(added).toHaveBeenCalledTimes(1);
    expect(await withQueue({ getJob }).cancel(trial, id)).toMatchObject({ state: 'cancelled' });
  });
});
