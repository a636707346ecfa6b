/** Queries of the overview page: job counts of a day, processes, held runs. */
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import { waitTypes } from '../../core/jobs/record.ts';
import { aliveSeconds } from '../../core/jobs/repository/heartbeats.ts';
import { workerHeartbeatTable as heartbeat, jobTable as job, jobPlanTable } from '../../core/jobs/schema.ts';

const maxSampledBytes = 1_000_000;

const count = z.coerce.number().int();

/** Jobs of a kind that ended within the last 24 hours. */
const DayCounts = z.object({ kind: z.string(), succeeded: count, failed: count });
export type DayCounts = z.infer<typeof DayCounts>;

type Queries = ReturnType<typeof createOverviewQueries>;
/** The last heartbeat of a worker or scheduler process. */
export type ProcessHeartbeat = Awaited<ReturnType<Queries['processes']>>[number];

export function createOverviewQueries(db: NodePgDatabase) {
  return {
    dayCounts: (kinds: readonly string[]) => countDay(db, kinds),

    /** Latest heartbeat first. */
    async processes(limit: number) {
      const seenAt = sql<Date>`max(${heartbeat.seenAt})`.mapWith(heartbeat.seenAt);
      return await db
        .select({
          id: heartbeat.workerId,
          seenAt,
          isAlive: sql<boolean>`max(${heartbeat.seenAt}) > now() - ${aliveSeconds} * interval '1 second'`,
          kinds: sql<{ kind: string; running: number }[]>`json_agg(json_build_object(
            'kind', ${heartbeat.kind}, 'running', ${heartbeat.running}) order by ${heartbeat.kind})`,
        })
        .from(heartbeat)
        .groupBy(heartbeat.workerId)
        .orderBy(desc(seenAt), heartbeat.workerId)
        .limit(limit);
    },

    /** Failures of the last hour, including those that the input caused. */
    countFailures: () => db.$count(job, sql`${job.state} = 'failed' and ${job.finishedAt} > now() - interval '1 hour'`),

    /** Scheduled jobs that wait for an outside system or for space on a disk, without using an attempt, by kind. */
    async deferred(): Promise<ReadonlyMap<string, number>> {
      const rows = await db
        .select({ kind: job.kind, count: sql<number>`count(*)::int` })
        .from(job)
        .where(and(eq(job.state, 'scheduled'), inArray(sql`${job.error} ->> 'type'`, waitTypes)))
        .groupBy(job.kind);
      return new Map(rows.map(({ kind, count }) => [kind, count]));
    },

    /** Oldest first; `report` is the planned result without its rows. */
    heldJobs: (limit: number) =>
      db
        .select({
          id: job.id,
          kind: job.kind,
          clientId: job.clientId,
          heldAt: jobPlanTable.heldAt,
          /** Names in the first group of changes; the page does not read a large plan every few seconds. */
          names: sql<string[]>`case when pg_column_size(${jobPlanTable.changes}) < ${maxSampledBytes}
            then jsonb_path_query_array(${jobPlanTable.changes}, '$[0].items[0 to 2].name') else '[]' end`,
          report: sql<unknown>`${job.result} - 'rows'`,
        })
        .from(job)
        .innerJoin(jobPlanTable, eq(jobPlanTable.jobId, job.id))
        .where(sql`${job.state} = 'held'`)
        .orderBy(jobPlanTable.heldAt, job.id)
        .limit(limit),
  };
}

async function countDay(db: NodePgDatabase, kinds: readonly string[]): Promise<DayCounts[]> {
  const lately = sql`finished_at > now() - interval '24 hours'`;
  const { rows } = await db.execute(sql`
    with failed as (
      select kind, count(*) as n from job where state = 'failed' and ${lately} group by kind
    )
    select kind, ended.n - coalesce(failed.n, 0) as succeeded, coalesce(failed.n, 0) as failed
    from unnest(${sql.param([...kinds])}::text[]) as asked (kind)
    cross join lateral (
      select count(*) as n from job where job.kind = asked.kind and state in ('succeeded', 'failed') and ${lately}
    ) as ended
    left join failed using (kind)`);
  return rows.map(row => DayCounts.parse(row));
}
