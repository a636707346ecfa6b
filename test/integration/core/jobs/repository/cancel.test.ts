/** Cancellation: at request, past the `startBy`, and of jobs held for too long. */
import { randomUUID } from 'node:crypto';
import { desc, eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import { cancelExpiredHeldJobs } from '../../../../../core/jobs/repository/cancel.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { jobPlanTable, jobTable } from '../../../../../core/jobs/schema.ts';
import { auditTable } from '../../../../../core/postgres/schema.ts';
import { jobsEnded } from '../../../../../core/telemetry/meter.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('cancel');
const records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });

const operator = { kind: 'operator', name: 'someone', requestId: 'request-1' } as const;

/** A job in this state. */
async function jobIn(state: string, change: object = {}): Promise<string> {
  const { id } = await records.create({
    id: newJobId('trial'),
    kind: 'trial',
    clientId: 'portal',
    payload: {},
    attemptsMax: 3,
  });
  await database
    .update(jobTable)
    .set({ ...change, state: sql`${state}` })
    .where(eq(jobTable.id, id));
  return id;
}
const heldFor = async (days: number): Promise<string> => {
  const id = await jobIn('held');
  await database.insert(jobPlanTable).values({ jobId: id, plan: {}, heldAt: sql`now() - ${days} * interval '1 day'` });
  return id;
};
const audited = (id: string) =>
  database
    .select()
    .from(auditTable)
    .where(eq(auditTable.target, `/jobs/${id}`))
    .orderBy(desc(auditTable.id));
const cancelledSoFar = async () =>
  (await jobsEnded.get()).values.find(({ labels }) => labels.kind === 'trial' && labels.state === 'cancelled')?.value ??
  0;

describe('the request to cancel', () => {
  it.each(['queued', 'scheduled', 'held'])('a %s job ends it at once', async state => {
    const [id, other, before] = [await jobIn(state), await jobIn(state), await cancelledSoFar()];
    expect(await records.requestCancel(id)).toMatchObject({
      id,
      state: 'cancelled',
      finishedAt: expect.any(Date),
      cancelRequestedAt: expect.any(Date),
    });
    expect(await records.find(other)).toMatchObject({ state, cancelRequestedAt: null });
    expect(await cancelledSoFar()).toBe(before + 1);
  });

  it('a running job asks its run to stop, and keeps the time of the first request', async () => {
    const [id, before] = [await jobIn('running'), await cancelledSoFar()];
    const first = await records.requestCancel(id);
    expect(first).toMatchObject({ state: 'running', finishedAt: null, cancelRequestedAt: expect.any(Date) });
    await database
      .update(jobTable)
      .set({ cancelRequestedAt: new Date(0) })
      .where(eq(jobTable.id, id));
    expect(await records.requestCancel(id)).toMatchObject({ cancelRequestedAt: new Date(0) });
    expect(await cancelledSoFar()).toBe(before);
  });

  it.each(['succeeded', 'failed', 'cancelled'])('a job that has %s changes nothing', async state => {
    const id = await jobIn(state);
    expect(await records.requestCancel(id, operator)).toMatchObject({ state, cancelRequestedAt: null });
    expect(await audited(id)).toEqual([]);
  });

  it('an unknown job finds nothing', async () => {
    expect(await records.requestCancel('trial_unknown')).toBeUndefined();
    expect(await records.requestCancel('trial_unknown', operator)).toBeUndefined();
  });

  it('is recorded when it is not of the job’s own client', async () => {
    const [own, operators, running] = [await jobIn('queued'), await jobIn('scheduled'), await jobIn('running')];
    await records.requestCancel(own);
    await records.requestCancel(operators, operator);
    await records.requestCancel(running, operator);
    expect(await audited(own)).toEqual([]);
    expect(await audited(operators)).toMatchObject([
      {
        action: 'jobs.cancel',
        actorKind: 'operator',
        actor: 'someone',
        requestId: 'request-1',
        before: { state: 'scheduled' },
        after: { state: 'cancelled', cancelRequested: true },
      },
    ]);
    expect(await audited(running)).toMatchObject([{ after: { state: 'running', cancelRequested: true } }]);
  });
});

describe('a job past its startBy', () => {
  const past = () => new Date(Date.now() - 1_000);

  it('is cancelled with the reason when no run has begun', async () => {
    const [late, early] = [await jobIn('queued', { startBy: past() }), await jobIn('queued')];
    const open = [early, await jobIn('queued', { startBy: new Date(Date.now() + 60_000) })];
    const begun = [
      await jobIn('queued', { startBy: past(), startedAt: past() }),
      await jobIn('scheduled', { startBy: past() }),
      await jobIn('running', { startBy: past() }),
    ];
    const before = await cancelledSoFar();
    expect(await records.cancelOverdue()).toBe(1);
    expect(await cancelledSoFar()).toBe(before + 1);
    expect(await records.find(late)).toMatchObject({
      state: 'cancelled',
      finishedAt: expect.any(Date),
      error: {
        type: 'urn:portal-service:problem:job-not-begun',
        title: 'The job did not start in time',
        status: 503,
        detail: 'No worker was free before the job’s `startBy`; the job was cancelled.',
        instance: `/jobs/${late}`,
      },
    });
    for (const id of [...open, ...begun]) expect(await records.find(id)).toMatchObject({ finishedAt: null });
    expect(await records.cancelOverdue()).toBe(0);
  });
});

describe('jobs held for too long', () => {
  beforeEach(async () => {
    await database.delete(jobTable);
  });

  it('are cancelled, the oldest first, up to a limit', async () => {
    const [older, oldest, recent] = [await heldFor(15), await heldFor(30), await heldFor(13.9)];
    const released = await heldFor(30);
    await records.release(released, operator);
    expect(await cancelExpiredHeldJobs(database, 14, 1)).toBe(1);
    expect(await records.find(oldest)).toMatchObject({
      state: 'cancelled',
      finishedAt: expect.any(Date),
      error: {
        type: 'urn:portal-service:problem:job-not-released',
        detail: expect.stringContaining('not released within 14 days'),
        instance: `/jobs/${oldest}`,
      },
    });
    expect(await records.find(older)).toMatchObject({ state: 'held' });
    expect(await cancelExpiredHeldJobs(database, 14, 10)).toBe(1);
    expect(await records.find(older)).toMatchObject({ state: 'cancelled' });
    expect(await records.find(recent)).toMatchObject({ state: 'held', finishedAt: null, error: null });
    expect(await records.find(released)).toMatchObject({ state: 'queued' });
  });

  it('that another process is changing are left alone', async () => {
    const id = await heldFor(30);
    const runId = randomUUID();
    await database.transaction(async tx => {
      await tx.update(jobTable).set({ requestId: runId }).where(eq(jobTable.id, id));
      expect(await cancelExpiredHeldJobs(database, 14, 10)).toBe(0);
    });
    expect(await cancelExpiredHeldJobs(database, 14, 10)).toBe(1);
  });
});
