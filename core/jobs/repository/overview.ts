/** What the page of operations shows of the rows: the ends of a day, processes, held runs, last fires, failures. */
import { desc, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import type { Problem } from '../../runtime/problem.ts';
import { workerSignTable as sign } from '../schema/heartbeats.ts';
import { jobTable as job } from '../schema/jobs.ts';
import { jobPlanTable } from '../schema/plans.ts';
import { aliveSeconds } from './heartbeats.ts';

/** A worker or scheduler process, as its last sign of life says. */
export interface ProcessSign {
  id: string;
  isAlive: boolean;
  seenAt: Date;
  kinds: { kind: string; running: number }[];
}

export interface HeldJob {
  id: string;
  kind: string;
  clientId: string;
  heldAt: Date;
  /** What the run would come to, without the rows of the report. */
  report: unknown;
}

export interface FailedJob {
  id: string;
  kind: string;
  clientId: string;
  finishedAt: Date | null;
  error: Problem | null;
}

const count = z.coerce.number().int();

/** Jobs of a kind that came to their end within the last 24 hours. */
const DayEnds = z.object({ kind: z.string(), succeeded: count, failed: count });
export type DayEnds = z.infer<typeof DayEnds>;

export function createOpsOverview(db: NodePgDatabase) {
  return {
    async dayEnds(kinds: readonly string[]): Promise<DayEnds[]> {
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
      return rows.map(row => DayEnds.parse(row));
    },

    /** Those that gave a sign within the last hour, the newest sign first. */
    async processes(limit: number): Promise<ProcessSign[]> {
      const lastSign = sql<Date>`max(${sign.seenAt})`.mapWith(sign.seenAt);
      return await db
        .select({
          id: sign.workerId,
          seenAt: lastSign,
          isAlive: sql<boolean>`max(${sign.seenAt}) > now() - ${aliveSeconds} * interval '1 second'`,
          kinds: sql<ProcessSign['kinds']>`json_agg(json_build_object(
            'kind', ${sign.kind}, 'running', ${sign.running}) order by ${sign.kind})`,
        })
        .from(sign)
        .groupBy(sign.workerId)
        .orderBy(desc(lastSign), sign.workerId)
        .limit(limit);
    },

    /** Those that wait longest first. */
    heldJobs: (limit: number): Promise<HeldJob[]> =>
      db
        .select({
          id: job.id,
          kind: job.kind,
          clientId: job.clientId,
          heldAt: jobPlanTable.heldAt,
          report: sql<unknown>`${job.result} - 'rows'`,
        })
        .from(job)
        .innerJoin(jobPlanTable, eq(jobPlanTable.jobId, job.id))
        .where(sql`${job.state} = 'held'`)
        .orderBy(jobPlanTable.heldAt, job.id)
        .limit(limit),

    /** The newest first. */
    failures: (limit: number): Promise<FailedJob[]> =>
      db
        .select({
          id: job.id,
          kind: job.kind,
          clientId: job.clientId,
          finishedAt: job.finishedAt,
          error: job.error,
        })
        .from(job)
        .where(sql`${job.state} = 'failed'`)
        .orderBy(desc(job.finishedAt))
        .limit(limit),
  };
}
