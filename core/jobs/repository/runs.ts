/** What runs write to job rows. A run's writes change nothing once another run has claimed the job. */
import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Db } from '../../postgres/client.ts';
import type { Problem } from '../../runtime/errors.ts';
import { PlaceOfChanges } from '../planned-effect.ts';
import type { HeldRun, JobOutcome, JobRecord, JobRun, Progress, ReportStop, StoppedJob, Warning } from '../record.ts';
import { jobCheckpointTable, jobPlanTable, jobTable } from '../schema.ts';
import { isOverdue, overdueProblem, supersedeHeld } from './cancel.ts';
import { insertJob } from './insert.ts';
import { type AnnounceChange, announceChange, changeColumns, countEnd, jobColumns, now, openStates } from './rows.ts';

export const createRunRecords = (db: NodePgDatabase, announce: AnnounceChange) => ({
  /**
   * Begins a run, and takes the job over from a lost run. Undefined when the job is not open. A job whose cancellation
   * was requested, or whose `startBy` has passed, is cancelled instead.
   */
  async begin(run: JobRun, attempt: number): Promise<JobRecord | undefined> {
    const begun = await begin(db, run, attempt);
    if (begun === undefined) return undefined;
    const { isTakenOver, ...job } = begun;
    announceChange(announce, job);
    if (isTakenOver) announce('job_stop', job.id);
    return job.state === 'running' ? job : undefined;
  },

  /**
   * Also the run's heartbeat. `claimed` is false when the run has lost its claim.
   * @param progress undefined: unchanged
   * @param waitsFor what its calls to outside systems wait for
   */
  async saveProgress(
    run: JobRun,
    progress: Progress | undefined,
    waitsFor: string | null = null,
  ): Promise<{ claimed: boolean; cancelRequested: boolean }> {
    const [row] = await db
      .update(jobTable)
      .set({ ...(progress && { progress }), waitsFor, touchedAt: now })
      .where(claimedBy(run))
      .returning({ cancelRequestedAt: jobTable.cancelRequestedAt });
    if (row && progress) announce('job', run.jobId);
    return { claimed: row !== undefined, cancelRequested: row?.cancelRequestedAt != null };
  },

  /** Undefined when none was written. */
  checkpoint: (jobId: string): Promise<unknown> => readCheckpoint(db, jobId),
  /** @returns false when the run has lost its claim */
  saveCheckpoint: (run: JobRun, value: unknown, writer: Db = db): Promise<boolean> =>
    saveCheckpoint(writer, run, value),

  /** Whether the run still claims its job; no other run takes it over before the transaction ends. */
  async confirmClaim(run: JobRun, writer: Db): Promise<boolean> {
    const rows = await writer.select({ id: jobTable.id }).from(jobTable).where(claimedBy(run)).for('share');
    return rows.length === 1;
  },
});

export interface OutcomeOptions {
  resultRetentionHours: number;
  announce: AnnounceChange;
  reportStop: ReportStop;
}

/** How a run ends. All return false when the run has lost its claim. */
export function createRunOutcomes(db: NodePgDatabase, { resultRetentionHours, announce, reportStop }: OutcomeOptions) {
  const announced = async (settling: Promise<ChangedJob | undefined>): Promise<boolean> => {
    const job = await settling;
    if (job) announceChange(announce, job);
    return job !== undefined;
  };
  const end = (run: JobRun, change: PgUpdateSetSource<typeof jobTable>) => announced(settle(db, run, change));

  return {
    /** With `supersedes`, also cancels the held jobs with its exclusive key: their plans are out of date. */
    succeed: (run: JobRun, { mail, ...outcome }: JobOutcome): Promise<boolean> =>
      announced(
        outcome.supersedes || mail
          ? db.transaction(async tx => {
              const job = await succeed(tx, run, outcome, resultRetentionHours);
              if (job && outcome.supersedes) await supersedeHeld(tx, run.jobId);
              if (job && mail) await insertJob(tx, mail);
              return job;
            })
          : succeed(db, run, outcome, resultRetentionHours),
      ),

    /** The job waits for a person's decision, with its plan and a preview of its result. */
    hold: (run: JobRun, held: HeldRun): Promise<boolean> =>
      announced(
        db.transaction(async tx => {
          const job = await hold(tx, run, held);
          if (job?.state === 'held') await reportStop(tx, { ...job, state: 'held', ...effectIn(held.result) });
          return job;
        }),
      ),

    /** @param scheduledAgain the queue will start another attempt */
    fail: (
      run: JobRun,
      {
        scheduledAgain,
        ...failure
      }: { error: Problem; warnings: Warning[]; sandboxes: string[]; scheduledAgain: boolean },
    ): Promise<boolean> =>
      scheduledAgain
        ? end(run, { ...failure, state: 'scheduled', finishedAt: null })
        : announced(
            db.transaction(async tx => {
              const job = await settle(tx, run, { ...failure, state: 'failed', finishedAt: now });
              if (job) await reportStop(tx, { ...job, state: 'failed', reasons: [failure.error.title] });
              return job;
            }),
          ),

    /** Another attempt is scheduled; the present one does not count. */
    defer: (run: JobRun, { error, sandboxes }: { error: Problem; sandboxes: string[] }): Promise<boolean> =>
      end(run, { state: 'scheduled', attemptsMade: withoutThisAttempt, error, sandboxes }),

    markCancelled: (run: JobRun): Promise<boolean> => end(run, { state: 'cancelled', finishedAt: now }),

    /** The job is queued again and the attempt does not count. */
    handBack: (run: JobRun): Promise<boolean> =>
      end(run, { state: 'queued', attemptsMade: withoutThisAttempt, progress: null }),
  };
}

const HeldReport = z
  .object({ heldBecause: z.array(z.string()), wouldDo: z.string(), places: z.array(PlaceOfChanges) })
  .partial();

/** The reasons in the report of a held run, and what a release would do. */
function effectIn(result: unknown): Pick<StoppedJob, 'reasons' | 'places'> {
  const { heldBecause = [], wouldDo, places } = HeldReport.safeParse(result).data ?? {};
  return { reasons: [...heldBecause, ...(wouldDo === undefined ? [] : [`A release would ${wouldDo}.`])], places };
}

const withoutThisAttempt = sql`greatest(${jobTable.attemptsMade} - 1, 0)`;

/** The cancelled or running job; `isTakenOver` from another run. Undefined when the job is not open. */
async function begin(db: Db, run: JobRun, attempt: number) {
  const stops = sql`(${jobTable.cancelRequestedAt} is not null or ${isOverdue})`;
  const unlessStopped = (running: SQL, stopped: SQL) => sql`case when ${stops} then ${stopped} else ${running} end`;
  const [row] = await db
    .update(jobTable)
    .set({
      state: unlessStopped(sql`'running'`, sql`'cancelled'`),
      finishedAt: unlessStopped(sql`null`, now),
      startedAt: unlessStopped(sql`coalesce(${jobTable.startedAt}, now())`, sql`${jobTable.startedAt}`),
      runId: unlessStopped(sql`${run.runId}::uuid`, sql`null`),
      attemptsMade: unlessStopped(sql`${attempt}::int`, sql`${jobTable.attemptsMade}`),
      error: sql`case when ${isOverdue} then ${overdueProblem} else ${jobTable.error} end`,
      progress: null,
      waitsFor: null,
      touchedAt: now,
    })
    .where(and(eq(jobTable.id, run.jobId), inArray(jobTable.state, openStates)))
    // The subquery sees the row before the update.
    .returning({
      ...jobColumns,
      isTakenOver: sql<boolean>`exists (select from job as before where before.id = "job"."id" and before.run_id is not null)`,
    });
  countEnd(row);
  return row;
}

const succeed = (
  db: Db,
  run: JobRun,
  { file, resultHours = Number.POSITIVE_INFINITY, supersedes: _, ...outcome }: JobOutcome,
  resultRetentionHours: number,
): Promise<ChangedJob | undefined> =>
  settle(db, run, {
    ...outcome,
    state: 'succeeded',
    finishedAt: now,
    resultFile: file,
    resultExpiresAt: sql`now() + ${Math.min(resultHours, resultRetentionHours)} * interval '1 hour'`,
    error: null,
  });

/** Needs a transaction. */
async function hold(db: Db, run: JobRun, { plan, changes, ...outcome }: HeldRun): Promise<ChangedJob | undefined> {
  // A job whose cancellation was requested during the run is not held for a decision.
  const isCancelled = isNotNull(jobTable.cancelRequestedAt);
  const job = await settle(db, run, {
    ...outcome,
    state: sql`case when ${isCancelled} then 'cancelled' else 'held' end`,
    finishedAt: sql`case when ${isCancelled} then now() end`,
    error: null,
  });
  if (!job) return undefined;
  const held = { heldAt: now, releasedBy: null, releasedAt: null };
  await db
    .insert(jobPlanTable)
    .values({ jobId: run.jobId, plan: asJson(plan), ...held })
    // With the given plan, its text, which may be large, would be sent twice.
    .onConflictDoUpdate({ target: jobPlanTable.jobId, set: { plan: sql`excluded.plan`, ...held } });
  await db
    .update(jobPlanTable)
    .set({ changes: asJson(changes()) })
    .where(eq(jobPlanTable.jobId, run.jobId));
  return job;
}

const claimedBy = (run: JobRun): SQL | undefined =>
  and(eq(jobTable.id, run.jobId), eq(jobTable.runId, run.runId), eq(jobTable.state, 'running'));

/** Ends the claim and writes the change. @returns undefined when the run has lost its claim */
async function settle(db: Db, run: JobRun, change: PgUpdateSetSource<typeof jobTable>) {
  const [row] = await db
    .update(jobTable)
    .set({ runId: null, touchedAt: now, ...change })
    .where(claimedBy(run))
    .returning(changeColumns);
  countEnd(row);
  return row;
}
type ChangedJob = NonNullable<Awaited<ReturnType<typeof settle>>>;

async function readCheckpoint(db: Db, jobId: string): Promise<unknown> {
  // As text, because drizzle parses JSON strings a second time.
  const [row] = await db
    .select({ value: sql<string>`${jobCheckpointTable.value}::text` })
    .from(jobCheckpointTable)
    .where(eq(jobCheckpointTable.jobId, jobId));
  return row && (JSON.parse(row.value) as unknown);
}

async function saveCheckpoint(db: Db, run: JobRun, value: unknown): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into ${jobCheckpointTable} (job_id, value, written_at)
    select id, ${asJson(value)}, ${now} from job
    where id = ${run.jobId} and run_id = ${run.runId} and state = 'running' for share
    on conflict (job_id) do update set value = excluded.value, written_at = excluded.written_at`);
  return rowCount === 1;
}

const asJson = (value: unknown): SQL => sql`${JSON.stringify(value ?? null)}::jsonb`;
