/** Shared by all writers of job rows: the columns of a record, finding, inserting, counting ends. */
import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../postgres/client.ts';
import { logContext } from '../../telemetry/log-context.ts';
import { jobsAccepted, jobsEnded } from '../../telemetry/meter.ts';
import { isAtRest, type JobCallback, type JobRecord, type JobState, type NewJob, type Release } from '../record.ts';
import { jobTable } from '../schema.ts';

export const now = sql`now()`;

/** A worker runs the job, or will without further requests. */
export const openStates: JobState[] = ['queued', 'scheduled', 'running'];

const isoTime = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const utc = (column: string): SQL => sql.raw(`to_char(${column} at time zone 'UTC', ${isoTime})`);

const { runId, touchedAt, reusableUntil, cacheVersion, ...columns } = getTableColumns(jobTable);

/** The columns of a `JobRecord`. */
export const jobColumns = {
  ...columns,
  callback: sql<JobCallback | null>`(
    select json_build_object(
      'url', callback.url, 'state', callback.state, 'tries', callback.tries, 'lastStatus', callback.last_status,
      'nextTryAt', ${utc('callback.next_try_at')})
    from job_callback as callback where callback.job_id = "job"."id")`,
  released: sql<Release | null>`(
    select json_build_object('by', plan.released_by, 'at', ${utc('plan.released_at')})
    from job_plan as plan where plan.job_id = "job"."id" and plan.released_at is not null)`,
};

export const findJob = async (db: Db, id: string): Promise<JobRecord | undefined> =>
  (await db.select(jobColumns).from(jobTable).where(eq(jobTable.id, id)))[0];

/** A further try is needed only when a job ended between two statements. */
const insertTries = 5;

/** Inserts a job, or returns the existing job with its id, or the open job with its exclusive key. */
export async function insertJob(db: Db, job: Omit<NewJob, 'callbackUrl'>): Promise<{ job: JobRecord; isNew: boolean }> {
  for (let tries = 0; tries < insertTries; tries++) {
    const [row] = await db
      .insert(jobTable)
      .values({ ...job, requestId: logContext().requestId })
      .onConflictDoNothing()
      .returning(jobColumns);
    if (row) {
      jobsAccepted.inc({ kind: job.kind });
      return { job: row, isNew: true };
    }
    const other = (await findJob(db, job.id)) ?? (await findOpen(db, job.kind, job.exclusiveKey));
    if (other) return { job: other, isNew: false };
  }
  throw new Error(`PostgreSQL neither inserted nor found the job ${job.id}`);
}

async function findOpen(db: Db, kind: string, exclusiveKey?: string): Promise<JobRecord | undefined> {
  if (exclusiveKey === undefined) return undefined;
  const [row] = await db
    .select(jobColumns)
    .from(jobTable)
    .where(and(eq(jobTable.kind, kind), eq(jobTable.exclusiveKey, exclusiveKey), inArray(jobTable.state, openStates)));
  return row;
}

/** The columns that `countEnd` needs of a changed row. */
export const endColumns = { kind: jobTable.kind, state: jobTable.state };

/** Counts the job in the metrics if it has ended or is held. */
export function countEnd(job: Pick<JobRecord, 'kind' | 'state'> | undefined): void {
  if (job && isAtRest(job.state)) jobsEnded.inc({ kind: job.kind, state: job.state });
}
