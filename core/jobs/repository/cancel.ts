/** Cancels a job that waits or is held, and asks one that runs to stop. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { recordAct } from '../../postgres/audit.ts';
import type { Db } from '../../postgres/session.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { JobRecord, JobState } from '../record.ts';
import { jobTable } from '../schema/jobs.ts';
import { countEnd, findJob, jobColumns, openStates } from './rows.ts';

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
