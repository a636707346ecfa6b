/** Puts an ended job back to where it began. */
import { eq } from 'drizzle-orm';
import { recordAct } from '../../postgres/audit.ts';
import type { Db } from '../../postgres/session.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { JobRecord } from '../record.ts';
import { jobTable } from '../schema/jobs.ts';
import { jobPlanTable } from '../schema/plans.ts';
import { jobColumns, now } from './rows.ts';

/** In a transaction. Undefined when the job is neither failed nor cancelled. */
export async function requeueJob(db: Db, id: string, by?: Actor): Promise<JobRecord | undefined> {
  const [job] = await db
    .select({ state: jobTable.state })
    .from(jobTable)
    .where(eq(jobTable.id, id))
    .for('update');
  if (job?.state !== 'failed' && job?.state !== 'cancelled') return undefined;
  // One that failed goes on with the plan it was released with; one that was cancelled starts from the beginning.
  if (job.state === 'cancelled') await db.delete(jobPlanTable).where(eq(jobPlanTable.jobId, id));
  const [row] = await db
    .update(jobTable)
    .set({
      state: 'queued',
      attemptsMade: 0,
      runId: null,
      progress: null,
      result: null,
      resultFile: null,
      resultExpiresAt: null,
      error: null,
      warnings: [],
      cancelRequestedAt: null,
      startedAt: null,
      finishedAt: null,
      // Who asks for it again waits for it again.
      startBy: null,
      touchedAt: now,
    })
    .where(eq(jobTable.id, id))
    .returning(jobColumns);
  if (by) {
    await recordAct(db, by, {
      action: 'jobs.retry',
      target: `/jobs/${id}`,
      before: { state: job.state },
      after: { state: 'queued' },
    });
  }
  return row;
}
