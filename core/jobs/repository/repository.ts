/** The job rows: the truth about every job. Each change of a row is announced on the channel `job` by a trigger. */
import { and, asc, desc, eq, gte, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Db } from '../../postgres/session.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { problemOf } from '../../runtime/problem.ts';
import type { JobFilter, JobRecord, JobRecords, JobRun } from '../record.ts';
import { jobTable } from '../schema/jobs.ts';
import { cancelJob } from './cancel.ts';
import { confirmClaim, readCheckpoint, saveCheckpoint } from './checkpoints.ts';
import { countTurnsAnew, nextOf, runningBeside } from './fair-order.ts';
import { findPlan, holdJob, releaseJob } from './plans.ts';
import { requeueJob } from './requeue.ts';
import { createJobReuse, takeEdition } from './result-cache.ts';
import {
  claimedBy,
  jobColumns as columns,
  countEnd,
  endColumns,
  findJob,
  insertJob,
  now,
  openStates as open,
  settleJob,
  unlessExclusive,
} from './rows.ts';
import { supersedeHeld } from './supersede.ts';

/** The channel on which a trigger announces the id of every job that changed. */
export const jobChannel = 'job';

/** Never begun, and nobody waits for it any more. Cancelled, not failed: nothing was tried, and its client said so. */
const isLate = sql`(${jobTable.startedAt} is null and coalesce(${jobTable.startBy} <= now(), false))`;
const stops = sql`(${jobTable.cancelRequestedAt} is not null or ${isLate})`;
const notBegun = sql`${JSON.stringify(
  problemOf(
    new ServiceError('job-not-begun', 'No worker was free for the job by its `startBy`; it was dropped.'),
    '',
  ),
)}::jsonb || jsonb_build_object('instance', '/jobs/' || ${jobTable.id})`;

export interface JobRecordsOptions {
  /** How long a result is available after its job succeeded. */
  resultRetentionHours: number;
  /** Adds a job's callback to the outbox, in the transaction that inserts the job. */
  insertCallback(db: Db, jobId: string, url: string): Promise<void>;
}

export function createJobRecords(
  db: NodePgDatabase,
  { resultRetentionHours, insertCallback }: JobRecordsOptions,
): JobRecords {
  return {
    async create({ callbackUrl: url, ...job }) {
      if (url === undefined) return (await insertJob(db, job)).job;
      return await db.transaction(async tx => {
        const { job: row, isNew } = await insertJob(tx, job);
        if (!isNew) return row;
        await insertCallback(tx, row.id, url);
        return { ...row, callback: { url, state: 'pending', tries: 0, lastStatus: null, nextTryAt: null } };
      });
    },

    reuse: createJobReuse(db, resultRetentionHours),
    takeEdition: (kind, edition) => takeEdition(db, kind, edition),

    async countOpen(kind, clientId, limit) {
      const counted = db
        .select({ id: jobTable.id })
        .from(jobTable)
        .where(and(eq(jobTable.kind, kind), eq(jobTable.clientId, clientId), inArray(jobTable.state, open)))
        .limit(limit)
        .as('counted');
      return db.$count(counted);
    },

    find: id => findJob(db, id),

    list: filter =>
      db
        .select(columns)
        .from(jobTable)
        .where(matching(filter))
        .orderBy(desc(jobTable.createdAt), desc(jobTable.id))
        .limit(filter.limit),

    async begin(run, attempt, perClient) {
      if (perClient === undefined) return await begin(db, run, attempt);
      return await db.transaction(async tx => {
        const job = await findJob(tx, run.jobId);
        if (!job || !open.includes(job.state)) return undefined;
        const isFree = job.state === 'running' || (await runningBeside(tx, job)) < perClient;
        return isFree ? await begin(tx, run, attempt) : 'client-busy';
      });
    },

    nextOf: (kind, clientId, limit) => nextOf(db, kind, clientId, limit),

    countTurnsAnew: () => countTurnsAnew(db),

    async saveProgress(run, progress) {
      const [row] = await db
        .update(jobTable)
        .set({ ...(progress && { progress }), touchedAt: now })
        .where(claimedBy(run))
        .returning({ cancelRequestedAt: jobTable.cancelRequestedAt });
      return { claimed: row !== undefined, cancelRequested: row?.cancelRequestedAt != null };
    },

    succeed: (run, { supersedes, file, reusable, ...outcome }) => {
      const succeedIn = (writer: Db) =>
        settleJob(writer, run, {
          ...outcome,
          state: 'succeeded',
          finishedAt: now,
          resultFile: file,
          resultExpiresAt: sql`now() + ${resultRetentionHours} * interval '1 hour'`,
          reusableUntil: reusable?.until ?? null,
          edition: reusable?.edition ?? null,
          error: null,
        });
      if (!supersedes) return succeedIn(db);
      return db.transaction(async tx => {
        const isSettled = await succeedIn(tx);
        if (isSettled) await supersedeHeld(tx, run.jobId);
        return isSettled;
      });
    },

    hold: (run, held) => db.transaction(tx => holdJob(tx, run, held)),

    fail: (run, { error, warnings, sandboxes, scheduledAgain }) =>
      settleJob(db, run, {
        state: scheduledAgain ? 'scheduled' : 'failed',
        finishedAt: scheduledAgain ? null : now,
        error,
        warnings,
        sandboxes,
      }),

    cancelled: run => settleJob(db, run, { state: 'cancelled', finishedAt: now }),

    handBack: run =>
      settleJob(db, run, {
        state: 'queued',
        attemptsMade: sql`greatest(${jobTable.attemptsMade} - 1, 0)`,
        progress: null,
      }),

    requestCancel: (id, by) => (by ? db.transaction(tx => cancelJob(tx, id, by)) : cancelJob(db, id)),

    requeue: (id, by) => unlessExclusive(() => db.transaction(tx => requeueJob(tx, id, by))),

    release: (id, by) => unlessExclusive(() => db.transaction(tx => releaseJob(tx, id, by))),

    plan: id => findPlan(db, id),
    checkpoint: id => readCheckpoint(db, id),
    saveCheckpoint: (run, value, writer = db) => saveCheckpoint(writer, run, value),
    confirmClaim: (run, writer) => confirmClaim(writer, run),

    quiet: (olderThanMs, limit) =>
      db
        .select(columns)
        .from(jobTable)
        .where(
          and(
            inArray(jobTable.state, open),
            lt(jobTable.touchedAt, sql`now() - ${olderThanMs} * interval '1 millisecond'`),
          ),
        )
        .orderBy(asc(jobTable.touchedAt))
        .limit(limit),

    async dropLate() {
      const dropped = await db
        .update(jobTable)
        .set({ state: 'cancelled', finishedAt: now, error: notBegun })
        .where(and(eq(jobTable.state, 'queued'), isNotNull(jobTable.startBy), isLate))
        .returning(endColumns);
      for (const job of dropped) countEnd(job);
      return dropped.length;
    },

    async markQuietChecked(ids) {
      if (ids.length === 0) return;
      await db
        .update(jobTable)
        .set({ touchedAt: now })
        .where(and(inArray(jobTable.id, [...ids]), inArray(jobTable.state, open)));
    },

    async giveUp(id, error) {
      const [job] = await db
        .update(jobTable)
        .set({ state: 'failed', finishedAt: now, runId: null, error, touchedAt: now })
        .where(and(eq(jobTable.id, id), inArray(jobTable.state, open)))
        .returning(endColumns);
      countEnd(job);
    },
  };
}

async function begin(db: Db, run: JobRun, attempt: number): Promise<JobRecord | undefined> {
  const unlessStopped = (going: SQL, stopped: SQL) =>
    sql`case when ${stops} then ${stopped} else ${going} end`;
  const [row] = await db
    .update(jobTable)
    .set({
      state: unlessStopped(sql`'running'`, sql`'cancelled'`),
      finishedAt: unlessStopped(sql`null`, now),
      startedAt: unlessStopped(sql`coalesce(${jobTable.startedAt}, now())`, sql`${jobTable.startedAt}`),
      runId: unlessStopped(sql`${run.runId}::uuid`, sql`null`),
      attemptsMade: unlessStopped(sql`${attempt}::int`, sql`${jobTable.attemptsMade}`),
      error: sql`case when ${isLate} then ${notBegun} else ${jobTable.error} end`,
      progress: null,
      touchedAt: now,
    })
    .where(and(eq(jobTable.id, run.jobId), inArray(jobTable.state, open)))
    .returning(columns);
  countEnd(row);
  return row?.state === 'running' ? row : undefined;
}

function matching(filter: JobFilter): SQL | undefined {
  const { clientId, kind, state, since, after } = filter;
  return and(
    clientId === null ? undefined : eq(jobTable.clientId, clientId),
    kind === undefined ? undefined : eq(jobTable.kind, kind),
    state === undefined ? undefined : eq(jobTable.state, state),
    since === undefined ? undefined : gte(jobTable.createdAt, since),
    after === undefined
      ? undefined
      : or(
          lt(jobTable.createdAt, after.createdAt),
          and(eq(jobTable.createdAt, after.createdAt), lt(jobTable.id, after.id)),
        ),
  );
}
