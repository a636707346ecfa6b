/** Estimates from the job rows: typical durations, and the queue position of a waiting job. */
import { type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobRecord } from '../record.ts';
import { jobTable as job } from '../schema.ts';

export type JobEstimates = ReturnType<typeof createJobEstimates>;
export type TypicalTimes = NonNullable<Awaited<ReturnType<JobEstimates['typicalTimes']>>>;

const sampleSize = 50;

export function createJobEstimates(db: NodePgDatabase) {
  return {
    /**
     * Medians of the last jobs of a kind: from acceptance to the first run to the end; `jobs` is the sample size. Undefined when no job of the kind has ended in the last 7 days.
     */
    async typicalTimes(kind: string) {
      const seconds = (from: typeof job.createdAt | typeof job.startedAt, to: typeof from) =>
        sql`extract(epoch from ${to} - ${from})`;
      const recent = db
        .select({
          wait: seconds(job.createdAt, job.startedAt).as('wait'),
          run: seconds(job.startedAt, job.finishedAt).as('run'),
          total: seconds(job.createdAt, job.finishedAt).as('total'),
        })
        .from(job)
        .where(
          sql`${job.kind} = ${kind} and ${job.state} in ('succeeded', 'failed') and ${job.finishedAt} > now() - interval '7 days'`,
        )
        .orderBy(sql`${job.finishedAt} desc`)
        .limit(sampleSize)
        .as('recent');
      const median = (of: typeof recent.wait) =>
        sql<number>`coalesce(percentile_cont(0.5) within group (order by ${of}), 0)::float8`;
      const [times] = await db
        .select({
          jobs: sql<number>`count(*)::int`,
          waitSeconds: median(recent.wait),
          runSeconds: median(recent.run),
          totalSeconds: median(recent.total),
        })
        .from(recent);
      return times && times.jobs > 0 ? times : undefined;
    },

    /** Queued jobs of the kind that run earlier, running jobs, and of both the same client's. */
    async queuePosition({ id, kind, clientId, priority }: Pick<JobRecord, 'id' | 'kind' | 'clientId' | 'priority'>) {
      const isBefore = sql`${job.state} = 'queued' and (${job.priority}, ${job.id}) < (${priority}, ${id})`;
      const isRunning = sql`${job.state} = 'running'`;
      const isOwn = sql`${job.clientId} = ${clientId}`;
      const count = (of: SQL) => sql<number>`(count(*) filter (where ${of}))::int`;
      const [view] = await db
        .select({
          before: count(isBefore),
          ownBefore: count(sql`${isBefore} and ${isOwn}`),
          running: count(isRunning),
          ownRunning: count(sql`${isRunning} and ${isOwn}`),
        })
        .from(job)
        .where(
          sql`${job.kind} = ${kind} and ${job.id} <> ${id} and (${isRunning} or ${job.state} = 'queued' and ${job.priority} <= ${priority})`,
        );
      return view ?? { before: 0, ownBefore: 0, running: 0, ownRunning: 0 };
    },
  };
}
