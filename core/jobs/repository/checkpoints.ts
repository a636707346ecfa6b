/** Checkpoints: written by a run while it holds its job, read by the run that goes on. */
import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../postgres/session.ts';
import type { JobRun } from '../record.ts';
import { jobCheckpointTable as table } from '../schema/checkpoints.ts';
import { jobTable } from '../schema/jobs.ts';
import { claimedBy, now } from './rows.ts';

/** Undefined when nothing was written. */
export async function readCheckpoint(db: Db, jobId: string): Promise<unknown> {
  // As text, because drizzle takes a JSON string for JSON once more.
  const [row] = await db
    .select({ value: sql<string>`${table.value}::text` })
    .from(table)
    .where(eq(table.jobId, jobId));
  return row && (JSON.parse(row.value) as unknown);
}

/** @returns false when the run has lost its claim; one that takes the job over waits for the transaction's end */
export async function confirmClaim(db: Db, run: JobRun): Promise<boolean> {
  const rows = await db.select({ id: jobTable.id }).from(jobTable).where(claimedBy(run)).for('share');
  return rows.length === 1;
}

/** @returns false when the run has lost its claim; one that takes the job over waits until this is written */
export async function saveCheckpoint(db: Db, run: JobRun, value: unknown): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into ${table} (job_id, value, written_at)
    select id, ${JSON.stringify(value ?? null)}::jsonb, ${now} from job
    where id = ${run.jobId} and run_id = ${run.runId} and state = 'running' for share
    on conflict (job_id) do update set value = excluded.value, written_at = excluded.written_at`);
  return rowCount === 1;
}
