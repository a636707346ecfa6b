/** The fair order of jobs: the next job of a client, the number of its running jobs, and renumbering. */
import { and, asc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobRecord } from '../record.ts';
import { jobTable as job } from '../schema.ts';
import { openStates } from './rows.ts';

type Db = Pick<NodePgDatabase, 'select' | 'execute'>;

/** BullMQ's highest priority is 2,097,151; the rest is left for the jobs that clients may have waiting. */
const renumberAbove = 1_500_000;

/**
 * Locks an open job, and until the end of the transaction also what else its client begins: two jobs that begin at the same
 * time must not both take the client's last slot. Undefined when the job is not open.
 */
export async function lockToBegin(db: Db, id: string) {
  const lock = sql`hashtextextended('job begin ' || ${job.kind} || ' ' || ${job.clientId}, 0)`;
  const [locked] = await db
    .select({ id: job.id, kind: job.kind, clientId: job.clientId, lock: sql`pg_advisory_xact_lock(${lock})::text` })
    .from(job)
    .where(and(eq(job.id, id), inArray(job.state, openStates)))
    .for('no key update');
  return locked;
}

/**
 * Of a locked job, as a condition: its client has fewer than `perClient` running, or no client that has fewer waits. In a
 * statement after the lock, which sees what others have begun.
 */
export function mayBegin({ id, kind, clientId }: Pick<JobRecord, 'id' | 'kind' | 'clientId'>, perClient: number): SQL {
  const running = (client: SQL) => sql`(select count(*) from job
    where kind = ${kind} and client_id = ${client} and state = 'running' and id <> ${id})`;
  // Reads one index entry for each client with open jobs, however many jobs it has.
  const next = (after: SQL) => sql`(select min(client_id) from job
    where kind = ${kind} and client_id > ${after} and state in ('queued', 'scheduled', 'running'))`;
  return sql`(${job.state} = 'running' or ${running(sql`${clientId}`)} < ${perClient} or not exists (
    with recursive other (client) as (
      select ${next(sql`''`)} union all select ${next(sql`other.client`)} from other where other.client is not null
    )
    select from other where client <> ${clientId} and ${running(sql`client`)} < ${perClient}
      and exists (select from job where kind = ${kind} and client_id = client and state = 'queued')))`;
}

/** The queued jobs of a kind: up to `limit` of the client, then up to `limit` of all others, each in their fair order. */
export function nextQueued(db: Db, kind: string, clientId: string, limit: number) {
  const next = (isOwn: boolean) =>
    db
      .select({ isOwn: sql<boolean>`${isOwn}::boolean`, fairOrder: job.fairOrder, id: job.id })
      .from(job)
      .where(and(eq(job.kind, kind), (isOwn ? eq : ne)(job.clientId, clientId), eq(job.state, 'queued')))
      .orderBy(asc(job.fairOrder), asc(job.id))
      .limit(limit);
  return next(true).unionAll(next(false)).orderBy(sql`1 desc, 2, 3`);
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
