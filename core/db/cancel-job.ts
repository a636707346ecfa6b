/** Cancels a job that waits or is held, and asks one that runs to stop. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '../actor.ts';
import type { Db } from '../db-session.ts';
import type { JobRecord, JobState } from '../job-record.ts';
import { recordAct } from './audit.ts';
import { countEnd, findJob, jobColumns, openStates } from './job-rows.ts';
import { jobTable } from './schema/jobs.ts';

const waiting: JobState[] = ['queued', 'scheduled', 'held'];

/** In a transaction when it is told to the audit trail (`by`). Undefined when there is no such job; one that has ended is answered as it is. */
export async function cancelJob(db: Db, id: string, by?: Actor): Promise<JobRecord | undefined> {
  const before = by && (await findJob(db, id));
  const waits = inArray(jobTable.state, waiting);
  const [row] = await db
    .update(jobTable)
    .set({
      state: sql`case when ${waits} then 'cancelled' else ${jobTable.state} end`,
      finishedAt: sql`case when ${waits} then now() else ${jobTable.finishedAt} end`,
      cancelRequestedAt: sql`coalesce(${jobTable.cancelRequestedAt}, now())`,
    })
    .where(and(eq(jobTable.id, id), inArray(jobTable.state, [...openStates, 'held'])))
    .returning(jobColumns);
  if (!row) return findJob(db, id);
  countEnd(row);
  if (by && before) {
    await recordAct(db, by, {
      action: 'jobs.cancel',
      target: `/jobs/${id}`,
      before: { state: before.state },
      after: { state: row.state, cancelRequested: true },
    });
  }
  return row;
}
