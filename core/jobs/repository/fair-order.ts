/** The fair order of jobs: who is next of a client, how much of a client runs, and counting turns anew. */
import { and, asc, eq, ne, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobRecord } from '../record.ts';
import { jobTable as job } from '../schema/jobs.ts';

type Db = Pick<NodePgDatabase, 'select' | 'execute' | '$count'>;

/** BullMQ counts up to 2097151; below this every kind keeps enough turns for what clients may have waiting. */
const highTurn = 1_500_000;

/** How many other jobs of its client and kind run; in a transaction, the answer stands until that ends. */
export async function runningBeside(db: Db, { id, kind, clientId }: JobRecord): Promise<number> {
  // Two that begin at the same time must not both take the client's last place.
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`job begin ${kind} ${clientId}`}, 0))`,
  );
  return await db.$count(
    job,
    and(eq(job.kind, kind), eq(job.clientId, clientId), eq(job.state, 'running'), ne(job.id, id)),
  );
}

/** The client's queued jobs of a kind, the next one first. */
export async function nextOf(db: Db, kind: string, clientId: string, limit: number): Promise<string[]> {
  const next = await db
    .select({ id: job.id })
    .from(job)
    .where(and(eq(job.kind, kind), eq(job.clientId, clientId), eq(job.state, 'queued')))
    .orderBy(asc(job.turn), asc(job.id))
    .limit(limit);
  return next.map(({ id }) => id);
}

/**
 * Counts the turns of a kind from 1 again where they have grown too high, which takes a kind that was never idle for
 * days. What lies in the queues is brought to the new turns by the sweeper, job by job.
 * @returns how many jobs have new turns
 */
export async function countTurnsAnew(db: Db): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update job set turn = job.turn - first.turn + 1
    from (
      select kind, min(turn) as turn from job where state in ('queued', 'scheduled', 'running')
      group by kind having max(turn) > ${highTurn} and min(turn) > 1
    ) as first
    where job.kind = first.kind and job.state in ('queued', 'scheduled', 'running')`);
  return rowCount ?? 0;
}
