/** What runs write to job rows; a run that has lost its claim changes nothing. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import type { JobOutcome, JobRecord, JobRun, PlannedChanges } from '../../../../../core/jobs/record.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../../core/jobs/schema.ts';
import { jobsEnded } from '../../../../../core/telemetry/meter.ts';
import { readPlan } from '../../../../support/held-plan.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('runs');
const records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });
/** A queued job. */
let job: JobRecord;

beforeEach(async () => {
  job = await create();
});

const create = (given: { exclusiveKey?: string; startBy?: Date; kind?: string; clientId?: string } = {}) => {
  const { kind = 'trial', ...terms } = given;
  return records.create({ id: newJobId(kind), kind, clientId: 'portal', payload: {}, attemptsMax: 3, ...terms });
};
const newRun = (jobId = job.id): JobRun => ({ jobId, runId: randomUUID() });
async function begun(attempt = 1, jobId = job.id): Promise<JobRun> {
  const run = newRun(jobId);
  if (!(await records.begin(run, attempt))) throw new Error('the job is not open');
  return run;
}
const set = (change: object, id = job.id) => database.update(jobTable).set(change).where(eq(jobTable.id, id));
const find = async (id = job.id) => {
  const found = await records.find(id);
  if (!found) throw new Error('the job is gone');
  return found;
};
const hoursUntil = (time: Date | null) => ((time?.getTime() ?? 0) - Date.now()) / 3_600_000;

const progress = { stage: 'done', done: 1, total: 1, percent: 100 };
const warnings = [{ pointer: '/list/0', detail: 'A photo is missing.' }];
const error = { type: 'urn:x', title: 'Failed', status: 500, detail: 'It failed.' };
const file = { key: 'a', contentType: 'application/pdf', fileName: 'a.pdf', bytes: 1, sha256: 'b' };
const outcome: JobOutcome = {
  progress,
  result: { pages: 2 },
  file: null,
  warnings,
  sandboxes: ['crm'],
  supersedes: false,
};
const held = { result: { deleted: 9 }, plan: { delete: ['a'] }, changes: () => [], warnings, sandboxes: ['crm'] };

describe('a run', () => {
  it('begins a queued job', async () => {
    await set({ progress, error });
    const running = await records.begin(newRun(), 2);
    expect(running).toMatchObject({ id: job.id, state: 'running', attemptsMade: 2, progress: null, error });
    expect(running).toMatchObject({ startedAt: expect.any(Date), finishedAt: null });
  });

  it('keeps the start of the first run', async () => {
    const startedAt = new Date('2026-01-31T08:00:00Z');
    await set({ state: 'scheduled', startedAt });
    expect(await records.begin(newRun(), 2)).toMatchObject({ state: 'running', startedAt });
  });

  it.each(['held', 'succeeded', 'failed', 'cancelled'])('does not begin a job that is %s', async state => {
    await set({ state });
    expect(await records.begin(newRun(), 1)).toBeUndefined();
    expect(await find()).toMatchObject({ state, startedAt: null });
  });

  it('does not begin an unknown job', async () =>
    expect(await records.begin(newRun('trial_unknown'), 1)).toBeUndefined());

  it.each(['queued', 'scheduled', 'running'])('cancels a %s job whose cancellation was requested', async state => {
    await set({ state, cancelRequestedAt: new Date() });
    expect(await records.begin(newRun(), 2)).toBeUndefined();
    expect(await find()).toMatchObject({ state: 'cancelled', startedAt: null, attemptsMade: 0, error: null });
    expect((await find()).finishedAt).toEqual(expect.any(Date));
  });

  it('cancels a job past its startBy, unless a run has begun before', async () => {
    const startBy = new Date(Date.now() - 1_000);
    await set({ startBy });
    expect(await records.begin(newRun(), 1)).toBeUndefined();
    expect(await find()).toMatchObject({
      state: 'cancelled',
      error: { type: 'urn:portal-service:problem:job-not-begun', status: 503, instance: `/jobs/${job.id}` },
    });
    job = await create();
    await set({ startBy, startedAt: new Date() });
    expect(await records.begin(newRun(), 2)).toMatchObject({ state: 'running', error: null });
    job = await create();
    await set({ startBy: new Date(Date.now() + 60_000) });
    expect(await records.begin(newRun(), 1)).toMatchObject({ state: 'running' });
  });

  it('takes a running job over', async () => {
    await records.begin(newRun(), 1);
    expect(await records.begin(newRun(), 2)).toMatchObject({ state: 'running', attemptsMade: 2 });
  });

  it('writes its progress as a heartbeat, and learns that its cancellation was requested', async () => {
    const run = await begun();
    await set({ touchedAt: new Date(0) });
    expect(await records.saveProgress(run, progress)).toEqual({ claimed: true, cancelRequested: false });
    expect(await find()).toMatchObject({ progress });
    expect((await records.findStale(1_000, 100)).map(({ id }) => id)).not.toContain(job.id);
    await set({ cancelRequestedAt: new Date() });
    expect(await records.saveProgress(run, undefined)).toEqual({ claimed: true, cancelRequested: true });
    expect(await find()).toMatchObject({ progress });
  });
});

describe('a checkpoint', () => {
  it.each([[{ page: 3 }], ['a text'], [null], [0]])('of %j is read by later runs', async value => {
    const run = await begun();
    expect(await records.checkpoint(job.id)).toBeUndefined();
    expect(await records.saveCheckpoint(run, { page: 1 })).toBe(true);
    expect(await records.saveCheckpoint(run, value)).toBe(true);
    expect(await records.checkpoint(job.id)).toEqual(value);
  });

  it('without a value is null', async () => {
    await records.saveCheckpoint(await begun(), undefined);
    expect(await records.checkpoint(job.id)).toBeNull();
  });

  it('is part of the transaction that writes it', async () => {
    const run = await begun();
    const rolledBack = database.transaction(async tx => {
      expect(await records.saveCheckpoint(run, 1, tx)).toBe(true);
      throw new Error('It broke.');
    });
    await expect(rolledBack).rejects.toThrow('It broke.');
    expect(await records.checkpoint(job.id)).toBeUndefined();
  });
});

describe('a run that ends', () => {
  it('successfully stores result, warnings and retention', async () => {
    await set({ error });
    expect(await records.succeed(await begun(), { ...outcome, file })).toBe(true);
    const ended = await find();
    expect(ended).toMatchObject({
      state: 'succeeded',
      result: { pages: 2 },
      resultFile: file,
      progress,
      warnings,
      sandboxes: ['crm'],
      error: null,
      finishedAt: expect.any(Date),
      attemptsMade: 1,
    });
    expect(Math.round(hoursUntil(ended.resultExpiresAt))).toBe(72);
  });

  it('with a transient error is scheduled again', async () => {
    const failure = { error, warnings, sandboxes: ['crm'], scheduledAgain: true };
    expect(await records.fail(await begun(2), failure)).toBe(true);
    expect(await find()).toMatchObject({
      state: 'scheduled',
      error,
      warnings,
      sandboxes: ['crm'],
      finishedAt: null,
      attemptsMade: 2,
    });
  });

  it('with its last error fails', async () => {
    await records.fail(await begun(3), { error, warnings: [], sandboxes: [], scheduledAgain: false });
    expect(await find()).toMatchObject({ state: 'failed', error, finishedAt: expect.any(Date), attemptsMade: 3 });
  });

  it('because a system is down is scheduled again, and its attempt does not count', async () => {
    expect(await records.defer(await begun(2), { error, sandboxes: ['crm'] })).toBe(true);
    expect(await find()).toMatchObject({ state: 'scheduled', error, sandboxes: ['crm'], attemptsMade: 1 });
    await records.defer(await begun(0), { error, sandboxes: [] });
    expect(await find()).toMatchObject({ attemptsMade: 0 });
  });

  it('at a request cancels the job', async () => {
    expect(await records.markCancelled(await begun())).toBe(true);
    expect(await find()).toMatchObject({ state: 'cancelled', finishedAt: expect.any(Date), attemptsMade: 1 });
  });

  it('with its process is queued again, without progress and attempt', async () => {
    const run = await begun(2);
    await records.saveProgress(run, progress);
    expect(await records.handBack(run)).toBe(true);
    expect(await find()).toMatchObject({ state: 'queued', progress: null, attemptsMade: 1, finishedAt: null });
  });

  it('with a plan to review is held', async () => {
    await set({ error });
    const items = [{ key: 'a', name: 'A' }];
    const changes: PlannedChanges[] = [{ outcome: 'deleted', reason: 'It left.', items }];
    expect(await records.hold(await begun(), { ...held, changes: () => changes })).toBe(true);
    expect(await find()).toMatchObject({
      state: 'held',
      result: held.result,
      warnings,
      sandboxes: ['crm'],
      error: null,
      finishedAt: null,
      released: null,
    });
    expect(await readPlan(records, job.id)).toMatchObject({ plan: held.plan, changes, released: null });
  });

  it('with a new plan replaces the released one', async () => {
    await records.hold(await begun(), held);
    await records.release(job.id, { kind: 'operator', name: 'someone' });
    expect((await records.plan(job.id))?.released).toMatchObject({ by: 'someone' });
    await records.hold(await begun(), { ...held, plan: { delete: ['b'] } });
    expect(await readPlan(records, job.id)).toMatchObject({ plan: { delete: ['b'] }, released: null });
  });

  it('with a plan is cancelled when that was requested meanwhile', async () => {
    const run = await begun();
    await records.requestCancel(job.id);
    expect(await records.hold(run, held)).toBe(true);
    expect(await find()).toMatchObject({ state: 'cancelled', finishedAt: expect.any(Date) });
  });

  it('is counted once by its final state', async () => {
    const counted = async (state: string) =>
      (await jobsEnded.get()).values.find(({ labels }) => labels.kind === 'counted-runs' && labels.state === state)
        ?.value;
    const one = await create({ kind: 'counted-runs' });
    const run = await begun(1, one.id);
    expect(await counted('succeeded')).toBeUndefined();
    await records.succeed(run, outcome);
    await records.succeed(run, outcome);
    expect(await counted('succeeded')).toBe(1);
    await records.hold(await begun(1, (await create({ kind: 'counted-runs' })).id), held);
    expect(await counted('held')).toBe(1);
    await records.handBack(await begun(1, (await create({ kind: 'counted-runs' })).id));
    expect(await counted('queued')).toBeUndefined();
  });
});

describe('a run whose job another run has taken over', () => {
  it.each<[string, (run: JobRun) => Promise<boolean>]>([
    ['progress', async run => (await records.saveProgress(run, progress)).claimed],
    ['a checkpoint', run => records.saveCheckpoint(run, 1)],
    ['a transaction', run => database.transaction(tx => records.confirmClaim(run, tx))],
    ['success', run => records.succeed(run, outcome)],
    ['success that supersedes held jobs', run => records.succeed(run, { ...outcome, supersedes: true })],
    ['a failure', run => records.fail(run, { error, warnings: [], sandboxes: [], scheduledAgain: false })],
    ['a wait', run => records.defer(run, { error, sandboxes: [] })],
    ['a plan', run => records.hold(run, held)],
    ['a cancellation', run => records.markCancelled(run)],
    ['its end', run => records.handBack(run)],
  ])('writes no %s', async (_, write) => {
    const run = await begun();
    const current = await begun(2);
    const before = await find();
    expect(await write(run)).toBe(false);
    expect(await find()).toEqual(before);
    expect(await records.plan(job.id)).toBeUndefined();
    expect(await write(current)).toBe(true);
    // After the end of the run, too.
    if ((await find()).state !== 'running') expect(await write(current)).toBe(false);
  });
});

describe('a success that supersedes', () => {
  it('cancels the held jobs with the same kind and exclusive key', async () => {
    const hold = async (exclusiveKey: string, kind = 'sync') => {
      const { id } = await create({ kind, exclusiveKey });
      await records.hold(await begun(1, id), held);
      return id;
    };
    const same = await hold('all');
    const others = [await hold('some'), await hold('all', 'other-sync')];
    const { id } = await create({ kind: 'sync', exclusiveKey: 'all' });
    await records.succeed(await begun(1, id), outcome);
    expect(await find(same)).toMatchObject({ state: 'held' });
    const next = await create({ kind: 'sync', exclusiveKey: 'all' });
    const [lost, current] = [await begun(1, next.id), await begun(2, next.id)];
    expect(await records.succeed(lost, { ...outcome, supersedes: true })).toBe(false);
    expect(await find(same)).toMatchObject({ state: 'held' });
    expect(await records.succeed(current, { ...outcome, supersedes: true })).toBe(true);
    const detail = expect.stringContaining(`${next.id} did the same work later`);
    expect(await find(same)).toMatchObject({
      state: 'cancelled',
      finishedAt: expect.any(Date),
      error: { type: 'urn:portal-service:problem:job-superseded', detail, instance: `/jobs/${same}` },
    });
    for (const other of others) expect(await find(other)).toMatchObject({ state: 'held' });
    expect(await database.$count(jobTable, sql`${jobTable.id} = ${next.id} and ${jobTable.state} = 'succeeded'`)).toBe(
      1,
    );
  });
});
