/** Cancels jobs: at request, past their `startBy`, superseded, or held for too long. */
import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { recordAuditEntry } from '../../postgres/audit.ts';
import type { Db } from '../../postgres/client.ts';
import type { Actor } from '../../runtime/actor.ts';
import { problemOf, ServiceError } from '../../runtime/errors.ts';
import type { JobRecord, JobState } from '../record.ts';
import { jobPlanTable, jobTable } from '../schema.ts';
import { changeColumns, countEnd, findJob, jobColumns, now, openStates } from './rows.ts';

const idleStates: JobState[] = ['queued', 'scheduled', 'held'];

/**
 * Cancels a waiting or held job and asks a running one to stop. Needs a transaction when `by` is given.
 * @param by recorded in the audit trail
 * @returns the job, unchanged if it has ended; undefined without such a job
 */
export async function cancelJob(db: Db, id: string, by?: Actor): Promise<JobRecord | undefined> {
  const before = by && (await findJob(db, id));
  const isIdle = inArray(jobTable.state, idleStates);
  const [row] = await db
    .update(jobTable)
    .set({
      state: sql`case when ${isIdle} then 'cancelled' else ${jobTable.state} end`,
      finishedAt: sql`case when ${isIdle} then now() else ${jobTable.finishedAt} end`,
      cancelRequestedAt: sql`coalesce(${jobTable.cancelRequestedAt}, now())`,
    })
    .where(and(eq(jobTable.id, id), inArray(jobTable.state, [...openStates, 'held'])))
    .returning(jobColumns);
  if (!row) return findJob(db, id);
  countEnd(row);
  if (by && before) {
    await recordAuditEntry(db, by, {
      action: 'jobs.cancel',
      target: `/jobs/${id}`,
      before: { state: before.state },
      after: { state: row.state, cancelRequested: true },
    });
  }
  return row;
}

/** Past its `startBy` without a first run. Cancelled, not failed: nothing was tried, at the client's request. */
export const isOverdue = sql`(${jobTable.startedAt} is null and coalesce(${jobTable.startBy} <= now(), false))`;
export const overdueProblem = jobProblem(
  new ServiceError('job-not-begun', 'No worker was free before the job’s `startBy`; the job was cancelled.'),
);

/** @returns the number of cancelled jobs */
export const cancelOverdue = (db: Db): Promise<number> =>
  cancelWithProblem(db, overdueProblem, and(eq(jobTable.state, 'queued'), isNotNull(jobTable.startBy), isOverdue));

/**
 * Cancels the held jobs with the exclusive key of a job that has just succeeded. Needs no times: no other job of the key
 * runs while one is open, so every held plan is older than that run.
 */
export async function supersedeHeld(db: Db, byJobId: string): Promise<void> {
  const reason = `${byJobId} did the same work later and succeeded, so the held plan is out of date.`;
  await cancelWithProblem(
    db,
    jobProblem(new ServiceError('job-superseded', `The job is superseded: ${reason}`)),
    and(
      eq(jobTable.state, 'held'),
      sql`(${jobTable.kind}, ${jobTable.exclusiveKey}) = (select kind, exclusive_key from job where id = ${byJobId})`,
    ),
  );
}

/** Cancels up to `limit` jobs held for more than `days`, oldest first. @returns the number of cancelled jobs */
export function cancelExpiredHeldJobs(db: Db, days: number, limit: number): Promise<number> {
  const reason = `The job was not released within ${days} days, so its plan is out of date. Run it again for a new plan.`;
  return cancelWithProblem(
    db,
    jobProblem(new ServiceError('job-not-released', reason)),
    and(
      eq(jobTable.state, 'held'),
      // An array: PostgreSQL may execute a subquery of IN several times, each time with other rows.
      sql`${jobTable.id} = any(array(
        select ${jobTable.id} from ${jobTable} join ${jobPlanTable} on ${jobPlanTable.jobId} = ${jobTable.id}
        where ${jobTable.state} = 'held' and ${jobPlanTable.heldAt} < now() - ${days} * interval '1 day'
        order by ${jobPlanTable.heldAt} limit ${limit} for update of ${jobTable} skip locked))`,
    ),
  );
}

async function cancelWithProblem(db: Db, problem: SQL, where: SQL | undefined): Promise<number> {
  const cancelled = await db
    .update(jobTable)
    .set({ state: 'cancelled', finishedAt: now, error: problem })
    .where(where)
    .returning(changeColumns);
  for (const job of cancelled) countEnd(job);
  return cancelled.length;
}

/** The problem document of an error, with the path of the updated job as its `instance`. */
function jobProblem(error: ServiceError): SQL {
  const problem = JSON.stringify(problemOf(error, ''));
  return sql`${problem}::jsonb || jsonb_build_object('instance', '/jobs/' || ${jobTable.id})`;
}
