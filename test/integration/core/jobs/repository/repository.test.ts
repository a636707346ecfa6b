/** Job rows: inserting, listing, counting, and what the reconciler reads and changes. */
import { randomUUID } from 'node:crypto';
import { eq, inArray, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import type { JobFilter, NewJob } from '../../../../../core/jobs/record.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../../core/jobs/schema.ts';
import { withLogContext } from '../../../../../core/telemetry/log-context.ts';
import { jobsAccepted, jobsEnded } from '../../../../../core/telemetry/meter.ts';
import { openTestDatabase, useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('job rows');
const records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });
let clientId: string;

beforeEach(() => {
  clientId = `client-${randomUUID()}`;
});

const newJob = (given: Partial<NewJob> = {}): NewJob => ({
  id: newJobId('trial'),
  kind: 'trial',
  clientId,
  payload: { list: [1] },
  attemptsMax: 3,
  ...given,
});
const create = (given: Partial<NewJob> = {}) => records.create(newJob(given));
const set = (ids: string | readonly string[], change: object) =>
  database
    .update(jobTable)
    .set(change)
    .where(inArray(jobTable.id, [ids].flat()));
const openStates = ['queued', 'scheduled', 'running'];
const restingStates = ['held', 'succeeded', 'failed', 'cancelled'];

describe('a new job', () => {
  it('is queued', async () => {
    const startBy = new Date('2030-01-31T08:00:00Z');
    const job = newJob({ startBy, exclusiveKey: clientId });
    const created = await withLogContext({ requestId: 'request-1' }, () => records.create(job));
    expect(created).toMatchObject({
      ...job,
      state: 'queued',
      attemptsMade: 0,
      requestId: 'request-1',
      priority: 1,
      callback: null,
      warnings: [],
      startedAt: null,
      finishedAt: null,
      result: null,
      sandboxes: [],
      released: null,
    });
    expect(await records.find(job.id)).toEqual(created);
  });

  it('is inserted together with others that arrive at the same time: each once, with its position among those of its client', async () => {
    const clients = [`${clientId}-a`, `${clientId}-b`];
    const jobs = Array.from({ length: 60 }, (_, index) =>
      newJob({ clientId: clients[index % 2] ?? '', kind: 'joined' }),
    );
    const [first] = jobs;
    const twice = first ? [first] : [];
    const created = await Promise.all(
      [...jobs, ...twice].map((job, index) =>
        withLogContext({ requestId: `request-${index}` }, () => records.create(job)),
      ),
    );
    expect(created.map(({ id }) => id)).toEqual([...jobs, ...twice].map(({ id }) => id));
    expect(created.slice(0, 60).map(({ requestId }) => requestId)).toEqual(jobs.map((_, index) => `request-${index}`));
    for (const client of clients) {
      const positions = created.slice(0, 60).flatMap(job => (job.clientId === client ? [job.priority] : []));
      expect(positions.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
      await expect(records.rejectTooMany('joined', client, 30)).rejects.toThrow(
        'at most 30 open jobs of the kind joined',
      );
      await records.rejectTooMany('joined', client, 31);
    }
  });

  it('fails alone when PostgreSQL rejects it among others', async () => {
    const good = newJob();
    const bad = newJob({ payload: { text: '\u0000' } });
    const [first, second] = await Promise.allSettled([records.create(good), records.create(bad)]);
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
  });

  it('with an id that exists is the existing job', async () => {
    const first = await create();
    expect(await create({ id: first.id, payload: { list: [2] } })).toEqual(first);
    expect(await create({ id: first.id, callbackUrl: 'https://receiver.example/' })).toEqual(first);
    expect((await records.find(first.id))?.callback).toBeNull();
  });

  it('has its callback from the start', async () => {
    const url = 'https://receiver.example/hook';
    const created = await create({ callbackUrl: url });
    expect(created.callback).toEqual({ url, state: 'pending', tries: 0, lastStatus: null, nextTryAt: null });
    expect(await records.find(created.id)).toEqual(created);
  });

  it('with the exclusive key of an open job is that job', async () => {
    const exclusiveKey = clientId;
    const first = await create({ exclusiveKey });
    for (const state of openStates) {
      await set(first.id, { state });
      expect(await create({ exclusiveKey })).toMatchObject({ id: first.id, state });
      expect(await create({ exclusiveKey, callbackUrl: 'https://receiver.example/' })).toMatchObject({ id: first.id });
    }
    expect(await create({ exclusiveKey, kind: 'other' })).toMatchObject({ kind: 'other', state: 'queued' });
    await set(first.id, { state: 'held' });
    expect((await create({ exclusiveKey })).id).not.toBe(first.id);
  });

  it('is inserted when the open job with its exclusive key ends meanwhile', async () => {
    const exclusiveKey = clientId;
    const first = await create({ exclusiveKey });
    // One connection: the first job ends between the statements of the second one.
    const { database: single, close: closeSingle } = await openTestDatabase('job rows, one connection', 1);
    try {
      const own = createJobRecords(single, { resultRetentionHours: 72, insertCallback });
      await own.create({ ...newJob({ exclusiveKey }), id: first.id });
      let reads = 0;
      const racing = new Proxy(single, {
        get(target, name, receiver) {
          // Read by id, then by key.
          if (name === 'select' && ++reads === 2)
            void target.pool.query(`update job set state = 'failed' where id = $1`, [first.id]);
          return Reflect.get(target, name, receiver);
        },
      });
      const second = newJob({ exclusiveKey });
      const { create: createRacing } = createJobRecords(racing, { resultRetentionHours: 72, insertCallback });
      expect(await createRacing(second)).toMatchObject({ id: second.id, state: 'queued' });
    } finally {
      await closeSingle();
    }
  });

  it('is counted as accepted once', async () => {
    const accepted = async () =>
      (await jobsAccepted.get()).values.find(({ labels }) => labels.kind === 'counted-create')?.value;
    const job = newJob({ kind: 'counted-create' });
    await records.create(job);
    await records.create(job);
    expect(await accepted()).toBe(1);
  });
});

describe('the list of jobs', () => {
  const ids = async (filter: Partial<JobFilter> = {}) =>
    (await records.list({ clientId, limit: 100, ...filter })).map(({ id }) => id);
  const at = (seconds: number) => new Date(Date.parse('2026-01-31T08:00:00Z') + seconds * 1_000);
  /** Jobs created at these seconds, the oldest first. */
  async function createdAt(...seconds: number[]): Promise<string[]> {
    const created = [];
    for (const second of seconds) {
      const { id } = await create();
      await set(id, { createdAt: at(second) });
      created.push(id);
    }
    return created;
  }

  it('has the newest first; pages do not overlap', async () => {
    const [a = '', b = '', c = '', d = ''] = await createdAt(0, 1, 1, 2);
    expect(await ids()).toEqual([d, c, b, a]);
    expect(await ids({ limit: 2 })).toEqual([d, c]);
    expect(await ids({ after: { createdAt: at(1), id: c } })).toEqual([b, a]);
    expect(await ids({ after: { createdAt: at(1), id: b } })).toEqual([a]);
  });

  it('has the jobs since a time and before another', async () => {
    const [a, b, c] = await createdAt(0, 1, 2);
    expect(await ids({ since: at(1) })).toEqual([c, b]);
    expect(await ids({ until: at(1) })).toEqual([a]);
  });

  it('has the jobs of one client, or of all', async () => {
    const { id } = await create();
    const others = await create({ clientId: 'somebody-else' });
    expect(await ids()).toEqual([id]);
    expect((await ids({ clientId: null })).slice(0, 2)).toEqual([others.id, id]);
  });

  it('has the jobs of a kind and a state', async () => {
    const [one, two] = [await create(), await create({ kind: 'other' })];
    await set(two.id, { state: 'failed' });
    expect(await ids({ kind: 'trial' })).toEqual([one.id]);
    expect(await ids({ state: 'failed' })).toEqual([two.id]);
    expect(await ids({ kind: 'trial', state: 'failed' })).toEqual([]);
  });
});

describe('the open jobs', () => {
  it('of a client and kind are limited', async () => {
    for (const state of [...openStates, ...restingStates]) await set((await create()).id, { state });
    await create({ kind: 'other' });
    await create({ clientId: 'somebody-else' });
    const rejected = { code: 'too-many-requests', retryAfterSeconds: 10 };
    for (const limit of [1, 2, 3]) {
      await expect(records.rejectTooMany('trial', clientId, limit)).rejects.toMatchObject(rejected);
      await expect(create({ maxOpen: limit })).rejects.toMatchObject(rejected);
    }
    await records.rejectTooMany('trial', clientId, 4);
    expect(await create({ maxOpen: 4 })).toMatchObject({ state: 'queued' });
    await expect(create({ maxOpen: 4 })).rejects.toMatchObject(rejected);
    expect(await create({ kind: 'other', maxOpen: 4 })).toMatchObject({ state: 'queued' });
  });
});

describe('the reconciler', () => {
  const touched = (secondsAgo: number) => ({ touchedAt: sql`now() - ${secondsAgo} * interval '1 second'` });
  beforeEach(() => database.delete(jobTable));
  const staleIds = async (limit = 100) => (await records.findStale(20_000, limit)).map(({ id }) => id);

  it('finds open jobs without a heartbeat, the oldest first', async () => {
    const jobs = [];
    for (const [index, state] of [...openStates, ...restingStates].entries()) {
      const { id } = await create();
      await set(id, { state, ...touched(30 + index) });
      jobs.push(id);
    }
    const recent = await create();
    await set(recent.id, touched(19));
    expect(await staleIds()).toEqual([jobs[2], jobs[1], jobs[0]]);
    expect(await staleIds(2)).toEqual([jobs[2], jobs[1]]);
  });

  it('marks the open jobs that it has checked', async () => {
    const [queued, ended, other] = [await create(), await create(), await create()];
    await set(ended.id, { state: 'failed' });
    await set([queued.id, ended.id, other.id], touched(60));
    await records.markChecked([]);
    expect(await staleIds()).toHaveLength(2);
    await records.markChecked([queued.id, ended.id]);
    expect(await staleIds()).toEqual([other.id]);
    const [row] = await database.select().from(jobTable).where(eq(jobTable.id, ended.id));
    expect(Date.now() - (row?.touchedAt.getTime() ?? 0)).toBeGreaterThan(30_000);
  });

  it('fails an open job that the queue gave up, and counts it', async () => {
    const error = { type: 'urn:x', title: 'The worker died', status: 500, detail: 'It died.' };
    const failed = async () =>
      (await jobsEnded.get()).values.find(({ labels }) => labels.kind === 'given-up' && labels.state === 'failed')
        ?.value;
    const [open, held] = [await create({ kind: 'given-up' }), await create({ kind: 'given-up' })];
    await set(held.id, { state: 'held' });
    const run = { jobId: open.id, runId: randomUUID() };
    await records.begin(run, 1);
    await records.markFailed(open.id, error);
    await records.markFailed(held.id, error);
    expect(await records.find(open.id)).toMatchObject({ state: 'failed', error, finishedAt: expect.any(Date) });
    expect(await records.find(held.id)).toMatchObject({ state: 'held', error: null });
    expect(await failed()).toBe(1);
    // The run that died comes back too late.
    expect(await records.saveProgress(run, undefined)).toMatchObject({ claimed: false });
  });
});
