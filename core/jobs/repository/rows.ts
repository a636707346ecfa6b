/** Shared by all writers of job rows: the columns of a record, finding, counting ends. */
import { eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../../postgres/client.ts';
import { jobsEnded } from '../../telemetry/meter.ts';
import type { JobChanges } from '../changes.ts';
import { mailJobId } from '../contract.ts';
import { isAtRest, type JobCallback, type JobRecord, type JobState, type Release } from '../record.ts';
import { jobTable } from '../schema.ts';

export type AnnounceChange = JobChanges['announce'];

export const now = sql`now()`;

/** A worker runs the job, or will without further requests. */
export const openStates: JobState[] = ['queued', 'scheduled', 'running'];

const isoTime = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const utc = (column: string): SQL => sql.raw(`to_char(${column} at time zone 'UTC', ${isoTime})`);

const { runId, touchedAt, ...columns } = getTableColumns(jobTable);

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
  (await withMails(db, await db.select(jobColumns).from(jobTable).where(eq(jobTable.id, id))))[0];

/** Adds the states of mail jobs, in a query that is sent only when there are any. */
export async function withMails(db: Db, jobs: JobRecord[]): Promise<JobRecord[]> {
  const mailed = jobs.filter(({ state, payload }) => state === 'succeeded' && MailedPayload.safeParse(payload).success);
  if (mailed.length === 0) return jobs;
  const { id: job, state, error, warnings } = columns;
  const ids = mailed.map(({ id }) => mailJobId(id));
  const mails = await db.select({ job, state, error, warnings }).from(jobTable).where(inArray(job, ids));
  return jobs.map(each => ({ ...each, mail: mails.find(mail => mail.job === mailJobId(each.id)) }));
}

/** The input of a job whose result is mailed. */
const MailedPayload = z.object({ mail: z.string() });

/** The columns of a changed row that `countEnd`, `announceChange` and `ReportStop` need. */
export const changeColumns = {
  id: jobTable.id,
  kind: jobTable.kind,
  clientId: jobTable.clientId,
  state: jobTable.state,
  callback: sql<true | null>`(select true from job_callback where job_id = "job"."id")`,
};

/** Counts the job in the metrics if it has ended or is held. */
export function countEnd(job: Pick<JobRecord, 'kind' | 'state'> | undefined): void {
  if (job && isAtRest(job.state)) jobsEnded.inc({ kind: job.kind, state: job.state });
}

/** Call it after the commit. */
export function announceChange(
  announce: AnnounceChange,
  { id, state, callback }: Pick<JobRecord, 'id' | 'state'> & { callback: unknown },
): void {
  announce('job', id);
  if (isAtRest(state) && callback !== null) announce('job_callback', id);
}
