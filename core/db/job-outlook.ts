/** What the job rows tell about how long jobs take and what a waiting job has before it. */
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { jobTable as job } from './schema/jobs.ts';

/** Of the jobs of a kind that ended last. */
export interface TypicalTimes {
  /** How many the medians are made of. */
  jobs: number;
  /** Medians, in seconds: from acceptance to the first run, from there to the end, and both. */
  waitSeconds: number;
  runSeconds: number;
  totalSeconds: number;
}

export interface JobsBefore {
  all: number;
  /** Of the same client. */
  own: number;
}

export interface JobOutlook {
  /** Undefined while no job of the kind has ended lately. */
  typicalTimes(kind: string): Promise<TypicalTimes | undefined>;
  /** Waiting jobs of the same kind that were accepted earlier. */
  waitingBefore(given: { id: string; kind: string; clientId: string; createdAt: Date }): Promise<JobsBefore>;
}

const sample = 50;

export function createJobOutlook(db: NodePgDatabase): JobOutlook {
  return {
    async typicalTimes(kind) {
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
        .limit(sample)
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

    async waitingBefore({ id, kind, clientId, createdAt }) {
      const [before] = await db
        .select({
          all: sql<number>`count(*)::int`,
          own: sql<number>`(count(*) filter (where ${job.clientId} = ${clientId}))::int`,
        })
        .from(job)
        .where(sql`${job.kind} = ${kind} and ${job.state} = 'queued' and ${job.createdAt} <= ${createdAt.toISOString()}::timestamptz
          and (${job.createdAt}, ${job.id}) < (${createdAt.toISOString()}::timestamptz, ${id})`);
      return before ?? { all: 0, own: 0 };
    },
  };
}
