/** What the job rows tell about how long jobs take and what a waiting job has before it. */
import { type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobRecord } from '../record.ts';
import { jobTable as job } from '../schema/jobs.ts';

/** Of the jobs of a kind that ended last, those apart that were answered with an earlier result. */
export interface TypicalTimes {
  /** How many the medians are made of. */
  jobs: number;
  /** Medians, in seconds: from acceptance to the first run, from there to the end, and both. */
  waitSeconds: number;
  runSeconds: number;
  totalSeconds: number;
}

export interface QueueView {
  /** Waiting jobs of the kind whose turn comes earlier, whoever's. */
  before: number;
  /** Those of the same client. */
  ownBefore: number;
  /** Jobs of the kind that run, and those of the same client. */
  running: number;
  ownRunning: number;
}

export interface JobOutlook {
  /** Undefined while no job of the kind has ended lately. */
  typicalTimes(kind: string): Promise<TypicalTimes | undefined>;
  /** What a waiting job has before and beside it. */
  queueView(given: Pick<JobRecord, 'id' | 'kind' | 'clientId' | 'turn'>): Promise<QueueView>;
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
          sql`${job.kind} = ${kind} and ${job.state} in ('succeeded', 'failed') and ${job.finishedAt} > now() - interval '7 days'
            and ${job.reusedFrom} is null`,
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

    async queueView({ id, kind, clientId, turn }) {
      const isBefore = sql`${job.state} = 'queued' and (${job.turn}, ${job.id}) < (${turn}, ${id})`;
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
          sql`${job.kind} = ${kind} and ${job.id} <> ${id} and (${isRunning} or ${job.state} = 'queued' and ${job.turn} <= ${turn})`,
        );
      return view ?? { before: 0, ownBefore: 0, running: 0, ownRunning: 0 };
    },
  };
}
