/** Puts jobs back to queued: failed and cancelled ones to run again, held ones to carry out their plan. */
import { and, eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { recordAuditEntry } from '../../postgres/audit.ts';
import type { Db } from '../../postgres/client.ts';
import type { Actor } from '../../runtime/actor.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { JobRecord, JobState } from '../record.ts';
import { jobPlanTable, jobTable } from '../schema.ts';
import { countOpen, priorityAfter } from './priority.ts';
import { findJob, jobColumns, now } from './rows.ts';

/** The updated job is not open. */
const ownPriority = priorityAfter(countOpen(sql`${jobTable.kind}`, sql`${jobTable.clientId}`));

/** Needs a transaction. Undefined unless the job is in one of the states. */
export async function requeueJob(
  db: Db,
  id: string,
  by?: Actor,
  from: readonly JobState[] = ['failed', 'cancelled'],
): Promise<JobRecord | undefined> {
  const [job] = await db.select({ state: jobTable.state }).from(jobTable).where(eq(jobTable.id, id)).for('update');
  if (!job || !from.includes(job.state)) return undefined;
  // A failed job continues with its released plan; a cancelled one starts from the beginning.
  if (job.state === 'cancelled') await db.delete(jobPlanTable).where(eq(jobPlanTable.jobId, id));
  const [row] = await db
    .update(jobTable)
    .set({
      state: 'queued',
      priority: ownPriority,
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
      // The time limit of the first request does not apply to this one.
      startBy: null,
      touchedAt: now,
    })
    .where(eq(jobTable.id, id))
    .returning(jobColumns);
  if (by) await recordTransition(db, by, id, { action: 'jobs.retry', from: job.state });
  return row;
}

/** Needs a transaction. Undefined unless the job is held. */
export async function releaseJob(db: Db, id: string, by: Actor): Promise<JobRecord | undefined> {
  const { rowCount } = await db
    .update(jobTable)
    .set({
      state: 'queued',
      priority: ownPriority,
      attemptsMade: 0,
      result: null,
      warnings: [],
      progress: null,
      touchedAt: now,
    })
    .where(and(eq(jobTable.id, id), eq(jobTable.state, 'held')));
  if (rowCount !== 1) return undefined;
  await db.update(jobPlanTable).set({ releasedBy: by.name, releasedAt: now }).where(eq(jobPlanTable.jobId, id));
  await recordTransition(db, by, id, { action: 'jobs.release', from: 'held' });
  return await findJob(db, id);
}

const recordTransition = (db: Db, by: Actor, id: string, { action, from }: { action: string; from: JobState }) =>
  recordAuditEntry(db, by, {
    action,
    target: `/jobs/${id}`,
    before: { state: from },
    after: { state: 'queued' },
  });

/** Replaces PostgreSQL's unique violation by ServiceError `conflict` when another job with the exclusive key is open. */
export async function unlessExclusive<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    // drizzle wraps PostgreSQL's error.
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof pg.DatabaseError && cause.constraint === 'job_exclusive')) throw error;
    throw new ServiceError(
      'conflict',
      'Another job that does the same work is open; repeat the request when it has ended.',
      { cause: error, retryAfterSeconds: 10 },
    );
  }
}
