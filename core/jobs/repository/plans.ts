/** Held jobs: their plans, and the release that lets them go on. */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { recordAct } from '../../postgres/audit.ts';
import type { Db } from '../../postgres/session.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { HeldPlan, HeldRun, JobRecord, JobRun } from '../record.ts';
import { jobTable } from '../schema/jobs.ts';
import { jobPlanTable as table } from '../schema/plans.ts';
import { findJob, now, settleJob } from './rows.ts';

/** Parsed here, because drizzle takes a JSON string for JSON once more. */
const planText = sql<string>`${table.plan}::text`;
const asJson = (value: unknown) => sql`${JSON.stringify(value ?? null)}::jsonb`;

/** In a transaction. @returns false when the run has lost its claim */
export async function holdJob(
  db: Db,
  run: JobRun,
  { plan, result, warnings, sandboxes }: HeldRun,
): Promise<boolean> {
  const isCancelled = isNotNull(jobTable.cancelRequestedAt);
  const isSettled = await settleJob(db, run, {
    // Whoever cancelled it while it still planned does not want to be asked.
    state: sql`case when ${isCancelled} then 'cancelled' else 'held' end`,
    finishedAt: sql`case when ${isCancelled} then now() end`,
    result,
    warnings,
    sandboxes,
    error: null,
  });
  if (!isSettled) return false;
  const held = { plan: asJson(plan), heldAt: now, releasedBy: null, releasedAt: null };
  await db
    .insert(table)
    .values({ jobId: run.jobId, ...held })
    .onConflictDoUpdate({ target: table.jobId, set: held });
  return true;
}

/** In a transaction. Undefined when the job is not held. */
export async function releaseJob(db: Db, id: string, by: Actor): Promise<JobRecord | undefined> {
  const { rowCount } = await db
    .update(jobTable)
    .set({ state: 'queued', attemptsMade: 0, result: null, warnings: [], progress: null, touchedAt: now })
    .where(and(eq(jobTable.id, id), eq(jobTable.state, 'held')));
  if (rowCount !== 1) return undefined;
  await db.update(table).set({ releasedBy: by.name, releasedAt: now }).where(eq(table.jobId, id));
  await recordAct(db, by, {
    action: 'jobs.release',
    target: `/jobs/${id}`,
    before: { state: 'held' },
    after: { state: 'queued' },
  });
  return await findJob(db, id);
}

export async function findPlan(db: Db, id: string): Promise<HeldPlan | undefined> {
  const [row] = await db
    .select({ plan: planText, heldAt: table.heldAt, by: table.releasedBy, at: table.releasedAt })
    .from(table)
    .where(eq(table.jobId, id));
  if (!row) return undefined;
  const { plan, heldAt, by, at } = row;
  const released = by !== null && at !== null ? { by, at: at.toISOString() } : null;
  return { plan: JSON.parse(plan) as unknown, heldAt, released };
}
