/** What every writer of job rows shares: how a row is read, added, and changed by the run that has claimed it. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Db } from '../../postgres/session.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { workIds } from '../../telemetry/log-context.ts';
import { jobsAccepted, jobsEnded } from '../../telemetry/meter.ts';
import {
  isAtRest,
  type JobCallback,
  type JobRecord,
  type JobRun,
  type JobState,
  type NewJob,
  type Release,
} from '../record.ts';
import { jobTable } from '../schema/jobs.ts';

export const now = sql`now()`;

/** States in which a job is worked on, or will be without anybody's doing. */
export const openStates: JobState[] = ['queued', 'scheduled', 'running'];

const isoTime = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const utc = (column: string): SQL => sql.raw(`to_char(${column} at time zone 'UTC', ${isoTime})`);

export const jobColumns = {
  id: jobTable.id,
  kind: jobTable.kind,
  clientId: jobTable.clientId,
  state: jobTable.state,
  payload: jobTable.payload,
  exclusiveKey: jobTable.exclusiveKey,
  progress: jobTable.progress,
  attemptsMade: jobTable.attemptsMade,
  attemptsMax: jobTable.attemptsMax,
  requestId: jobTable.requestId,
  createdAt: jobTable.createdAt,
  queuedAt: jobTable.queuedAt,
  startedAt: jobTable.startedAt,
  finishedAt: jobTable.finishedAt,
  result: jobTable.result,
  resultFile: jobTable.resultFile,
  error: jobTable.error,
  warnings: jobTable.warnings,
  sandboxes: jobTable.sandboxes,
  cancelRequestedAt: jobTable.cancelRequestedAt,
  startBy: jobTable.startBy,
  turn: jobTable.turn,
  resultExpiresAt: jobTable.resultExpiresAt,
  reusedFrom: jobTable.reusedFrom,
  callback: sql<JobCallback | null>`(
    select json_build_object(
      'url', told.url, 'state', told.state, 'tries', told.tries, 'lastStatus', told.last_status,
      'nextTryAt', ${utc('told.next_try_at')})
    from job_callback as told where told.job_id = "job"."id")`,
  released: sql<Release | null>`(
    select json_build_object('by', plan.released_by, 'at', ${utc('plan.released_at')})
    from job_plan as plan where plan.job_id = "job"."id" and plan.released_at is not null)`,
};

export async function findJob(db: Db, id: string): Promise<JobRecord | undefined> {
  const [row] = await db.select(jobColumns).from(jobTable).where(eq(jobTable.id, id));
  return row;
}

/** Tries enough: each means that a job ended in the moment between two statements. */
const insertTries = 5;

/**
 * Adds a job, unless there is one with its id (a repeat under the same `Idempotency-Key`), or an open one under its
 * exclusive key: then that one.
 */
export async function insertJob(
  db: Db,
  job: Omit<NewJob, 'callbackUrl'>,
): Promise<{ job: JobRecord; isNew: boolean }> {
  for (let tries = 0; tries < insertTries; tries++) {
    const [row] = await db
      .insert(jobTable)
      .values({ ...job, requestId: workIds().requestId })
      .onConflictDoNothing()
      .returning(jobColumns);
    if (row) {
      jobsAccepted.inc({ kind: job.kind });
      return { job: row, isNew: true };
    }
    const other = (await findJob(db, job.id)) ?? (await openUnder(db, job.kind, job.exclusiveKey));
    if (other) return { job: other, isNew: false };
  }
  throw new Error(`PostgreSQL neither inserted nor found the job ${job.id}`);
}

async function openUnder(db: Db, kind: string, key: string | undefined): Promise<JobRecord | undefined> {
  if (key === undefined) return undefined;
  const [row] = await db
    .select(jobColumns)
    .from(jobTable)
    .where(and(eq(jobTable.kind, kind), eq(jobTable.exclusiveKey, key), inArray(jobTable.state, openStates)));
  return row;
}

/** A run's writes reach the row only while the run has claimed the job. */
export const claimedBy = (run: JobRun): SQL | undefined =>
  and(eq(jobTable.id, run.jobId), eq(jobTable.runId, run.runId), eq(jobTable.state, 'running'));

/** Ends or changes the run's job; false when the run has lost its claim. */
export async function settleJob(
  db: Db,
  run: JobRun,
  change: PgUpdateSetSource<typeof jobTable>,
): Promise<boolean> {
  const [row] = await db
    .update(jobTable)
    .set({ runId: null, touchedAt: now, ...change })
    .where(claimedBy(run))
    .returning(endColumns);
  countEnd(row);
  return row !== undefined;
}

/** What is counted of a job that a statement may have ended. */
export const endColumns = { kind: jobTable.kind, state: jobTable.state };

export function countEnd(job: Pick<JobRecord, 'kind' | 'state'> | undefined): void {
  if (job && isAtRest(job.state)) jobsEnded.inc({ kind: job.kind, state: job.state });
}

/** @throws ServiceError conflict in place of what PostgreSQL says when another job of the exclusive key is open */
export async function unlessExclusive<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!breaksExclusivity(error)) throw error;
    throw new ServiceError(
      'conflict',
      'Another job does the same work just now; send this again when that one has ended.',
      { cause: error, retryAfterSeconds: 10 },
    );
  }
}

/** drizzle wraps what PostgreSQL answered. */
function breaksExclusivity(error: unknown): boolean {
  const answer = error instanceof Error ? error.cause : undefined;
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'constraint' in answer &&
    answer.constraint === 'job_exclusive'
  );
}
