/** The fair order of jobs: the next job of a client, the number of its running jobs, and renumbering. */
import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobRecord } from '../record.ts';
import { jobTable as job } from '../schema.ts';

type Db = Pick<NodePgDatabase, 'select' | 'execute'>;

/** BullMQ's highest priority is 2,097,151; the rest is left for the jobs that clients may have waiting. */
const renumberAbove = 1_500_000;

/**
 * Whether its client may run a further job of its kind: it has fewer than `perClient` running, or no client that has fewer
 * waits. In a transaction the client's number stays valid until it ends.
 */
export async function mayBegin(db: Db, { id, kind, clientId }: JobRecord, perClient: number): Promise<boolean> {
  // Two jobs that begin at the same time must not both take the client's last slot.
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`job begin ${kind} ${clientId}`}, 0))`);
  const running = (client: SQL) => sql`(select count(*) from job
    where kind = ${kind} and client_id = ${client} and state = 'running' and id <> ${id})`;
  // Reads one index entry for each client with open jobs, however many jobs it has.
  const next = (after: SQL) => sql`(select min(client_id) from job
    where kind = ${kind} and client_id > ${after} and state in ('queued', 'scheduled', 'running'))`;
  const { rows } = await db.execute(sql`
    with recursive other (client) as (
      select ${next(sql`''`)} union all select ${next(sql`other.client`)} from other where other.client is not null
    )
    select ${running(sql`${clientId}`)} < ${perClient} or not exists (
      select from other where client <> ${clientId} and ${running(sql`client`)} < ${perClient}
        and exists (select from job where kind = ${kind} and client_id = client and state = 'queued')) as free`);
  return rows[0]?.free === true;
}

/** The queued jobs of a kind of the client, or of all others, the next one first. */
export async function nextQueued(
  db: Db,
  kind: string,
  clientId: string,
  limit: number,
  isOwn = true,
): Promise<string[]> {
  const next = await db
    .select({ id: job.id })
    .from(job)
    .where(and(eq(job.kind, kind), (isOwn ? eq : ne)(job.clientId, clientId), eq(job.state, 'queued')))
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
