/** The fair order of jobs: the next job of a client, the number of its running jobs, and renumbering. */
import { and, asc, eq, ne, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobRecord } from '../record.ts';
import { jobTable as job } from '../schema.ts';

type Db = Pick<NodePgDatabase, 'select' | 'execute' | '$count'>;

/** BullMQ's highest priority is 2,097,151; the rest is left for the jobs that clients may have waiting. */
const renumberAbove = 1_500_000;

/** Counts the other running jobs of its client and kind. In a transaction the count stays valid until it ends. */
export async function countOthersRunning(db: Db, { id, kind, clientId }: JobRecord): Promise<number> {
  // Two jobs that begin at the same time must not both take the client's last slot.
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`job begin ${kind} ${clientId}`}, 0))`);
  return await db.$count(
    job,
    and(eq(job.kind, kind), eq(job.clientId, clientId), eq(job.state, 'running'), ne(job.id, id)),
  );
}

/** The client's queued jobs of a kind, the next one first. */
export async function nextQueued(db: Db, kind: string, clientId: string, limit: number): Promise<string[]> {
  const next = await db
    .select({ id: job.id })
    .from(job)
    .where(and(eq(job.kind, kind), eq(job.clientId, clientId), eq(job.state, 'queued')))
    .orderBy(asc(job.fairOrder), asc(job.id))
    .limit(limit);
  return next.map(({ id }) => id);
}

/**
 * Renumbers kinds from 1 whose numbers have grown too high, which takes days without an idle moment. The reconciler then
 * updates the priorities of the queued messages.
 * @returns the number of renumbered jobs
 */
export async function renumber(db: Db): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update job set turn = job.turn - first.turn + 1
    from (
      select kind, min(turn) as turn from job where state in ('queued', 'scheduled', 'running')
      group by kind having max(turn) > ${renumberAbove} and min(turn) > 1
    ) as first
    where job.kind = first.kind and job.state in ('queued', 'scheduled', 'running')`);
  return rowCount ?? 0;
}
