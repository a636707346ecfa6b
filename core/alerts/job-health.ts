/** Queries for the alert rules and the digest: waiting, failed and held jobs, failed schedules, given-up callbacks. */
import { eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { jobTable as job } from '../jobs/schema.ts';
import { problemType } from '../runtime/errors.ts';

/** Number and longest wait of the queued jobs by kind, without those scheduled for another attempt. */
export const waitingJobs = (db: NodePgDatabase) =>
  db
    .select({
      kind: job.kind,
      waiting: sql<number>`count(*)::int`,
      since: sql<Date>`min(${job.queuedAt})`.mapWith(job.queuedAt),
    })
    .from(job)
    .where(eq(job.state, 'queued'))
    .groupBy(job.kind);

/**
 * Ended and failed jobs of the last `hours` with the most frequent error. Only statuses of 500 and more count as failures:
 * lower ones are caused by the input. Jobs answered from the result cache do not count.
 */
export async function failures(db: NodePgDatabase, kinds: readonly string[], hours: number) {
  const { rows } = await db.execute<{
    kind: string;
    failed: number;
    ended: number;
    error: string | null;
  }>(sql`
    select kind, count(*)::int as ended,
      (count(*) filter (where state = 'failed' and coalesce((error ->> 'status')::int, 500) >= 500))::int as failed,
      mode() within group (order by error ->> 'title')
        filter (where state = 'failed' and coalesce((error ->> 'status')::int, 500) >= 500) as error
    from ${job}
    where kind = any(${sql.param([...kinds])}) and state in ('succeeded', 'failed')
      and finished_at > now() - ${hours} * interval '1 hour'
    group by kind`);
  return rows.map(row => ({ ...row, error: row.error ?? 'no error' }));
}

/** Held jobs, the longest held first, with the reasons in their reports. */
export async function heldJobs(db: NodePgDatabase, limit: number) {
  const { rows } = await db.execute<{ id: string; kind: string; held_at: Date; because: unknown }>(sql`
    select job.id, job.kind, coalesce(plan.held_at, job.touched_at) as held_at,
      case when jsonb_typeof(job.result -> 'heldBecause') = 'array' then job.result -> 'heldBecause' else '[]' end
        as because
    from ${job} left join job_plan as plan on plan.job_id = job.id
    where job.state = 'held'
    order by held_at limit ${limit}`);
  return rows.map(({ id, kind, held_at, because }) => ({
    id,
    kind,
    heldAt: new Date(held_at),
    because: Array.isArray(because) ? because.map(String) : [],
  }));
}

/** Schedules whose last job that ended or is held has failed. */
export async function failedSchedules(db: NodePgDatabase, names: readonly string[]) {
  const { rows } = await db.execute<{
    schedule: string;
    job_id: string;
    finished_at: Date;
    error: string | null;
  }>(sql`
    select wanted.name as schedule, job.id as job_id, job.finished_at, job.error ->> 'title' as error
    from unnest(${sql.param([...names])}::text[]) as wanted (name)
    cross join lateral (
      select ended.id, ended.state, ended.finished_at, ended.error
      from schedule_fire as fire join ${job} as ended on ended.id = fire.job_id
      where fire.schedule = wanted.name and fire.outcome in ('fired', 'missed-fired')
        and ended.state in ('succeeded', 'failed', 'held')
      order by fire.due_at desc limit 1
    ) as job
    where job.state = 'failed'`);
  return rows.map(row => ({
    schedule: row.schedule,
    jobId: row.job_id,
    finishedAt: new Date(row.finished_at),
    error: row.error ?? 'no error',
  }));
}

/** Jobs whose last run ended because a disk was full. */
export const jobsWithoutSpace = (db: NodePgDatabase): Promise<number> =>
  db.$count(
    job,
    sql`${job.state} in ('scheduled', 'running') and ${job.error} ->> 'type' = ${problemType('storage-full')}`,
  );

/** System → jobs that wait because a call to it failed; not those that wait for its rate limit. */
export async function jobsWaitingForSystems(db: NodePgDatabase): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.execute<{ system: string; jobs: number }>(sql`
    select error -> 'upstream' ->> 'system' as system, count(*)::int as jobs from ${job}
    where state in ('scheduled', 'running') and error ->> 'type' = ${problemType('waiting-for-system')}
      and error -> 'upstream' ->> 'system' is not null
    group by 1`);
  return new Map(rows.map(({ system, jobs }) => [system, jobs]));
}

/** Callbacks given up within the last `hours`. */
export async function givenUpCallbacks(db: NodePgDatabase, hours: number): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from job_callback as callback
    where callback.state = 'failed' and exists (
      select 1 from job_event as tried
      where tried.job_id = callback.job_id and tried.type = 'callback-tried'
        and tried.at > now() - ${hours} * interval '1 hour')`);
  return rows[0]?.count ?? 0;
}
