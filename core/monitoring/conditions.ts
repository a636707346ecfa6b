/**
 * The conditions that a person must act on, read together: the gauges of `/metrics` and the operations pages show the same
 * ones. `deploy/prometheus/alerts.yaml` says from which value on each of them is an alert.
 */
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import { openListingActions } from '../domain/portal-events/listing-actions.ts';
import { lastBalance } from '../domain/telephony/sms-repository.ts';
import type { JobContract } from '../jobs/contract.ts';
import { createHeartbeats } from '../jobs/repository/heartbeats.ts';
import { countOpenJobs } from '../jobs/repository/open-counts.ts';
import { jobTable as job } from '../jobs/schema.ts';
import { problemType } from '../runtime/errors.ts';
import { onTimeMs } from '../schedules/misfire-policy.ts';
import { createScheduleRuns, type LastRun, type ScheduleState } from '../schedules/runs.ts';
import { dueTimes, type Schedule } from '../schedules/schedule.ts';

export interface ConditionContext {
  database: NodePgDatabase;
  contracts: ReadonlyMap<string, JobContract>;
  /** Those that are not switched off. */
  schedules: readonly Schedule[];
}

export type Conditions = Awaited<ReturnType<typeof readConditions>>;

export async function readConditions({ database, contracts, schedules }: ConditionContext) {
  const kinds = [...contracts.keys()];
  const names = schedules.map(({ name }) => name);
  const [
    openCounts,
    workers,
    lastHour,
    failed,
    missed,
    waiting,
    jobsWithoutSpace,
    callbacksGivenUp,
    balance,
    secrets,
    actions,
  ] = await Promise.all([
    countOpenJobs(database, kinds),
    createHeartbeats(database).read(),
    countLastHour(database, kinds),
    failedSchedules(database, names),
    missedSchedules(database, schedules, new Date()),
    jobsWaitingForSystems(database),
    countJobsWithoutSpace(database),
    countGivenUpCallbacks(database),
    lastBalance(database),
    expiringSecrets(database),
    openListingActions(database),
  ]);
  return {
    openCounts,
    workers,
    lastHour,
    failedSchedules: failed,
    missedSchedules: missed,
    jobsWaitingForSystems: waiting,
    jobsWithoutSpace,
    callbacksGivenUp,
    smsBalance: balance,
    expiringSecrets: secrets,
    listingActions: actions,
  };
}

const count = z.coerce.number();
const LastHour = z.object({ kind: z.string(), ended: count, failed: count });

/** Statuses below 500 are not counted as failures: the input caused them. */
async function countLastHour(db: NodePgDatabase, kinds: readonly string[]) {
  const { rows } = await db.execute(sql`
    select asked.kind, count(job.id) as ended,
      count(job.id) filter (where state = 'failed' and coalesce((error ->> 'status')::int, 500) >= 500) as failed
    from unnest(${sql.param([...kinds])}::text[]) as asked (kind)
    left join ${job} on job.kind = asked.kind and state in ('succeeded', 'failed')
      and finished_at > now() - interval '1 hour'
    group by asked.kind`);
  return z.array(LastHour).parse(rows);
}

const FailedSchedule = z.object({
  name: z.string(),
  jobId: z.string(),
  finishedAt: z.coerce.date(),
  error: z.string().nullable(),
});

/** Schedules whose last job that ended or is held has failed. */
async function failedSchedules(db: NodePgDatabase, names: readonly string[]) {
  const { rows } = await db.execute(sql`
    select asked.name, last.id as "jobId", last.finished_at as "finishedAt", last.error ->> 'title' as error
    from unnest(${sql.param([...names])}::text[]) as asked (name)
    cross join lateral (
      select ended.id, ended.state, ended.finished_at, ended.error
      from schedule_fire as fire join ${job} as ended on ended.id = fire.job_id
      where fire.schedule = asked.name and fire.outcome in ('fired', 'missed-fired')
        and ended.state in ('succeeded', 'failed', 'held')
      order by fire.due_at desc limit 1
    ) as last
    where last.state = 'failed'`);
  return z.array(FailedSchedule).parse(rows);
}

/** Schedules that were due and did not run, or whose last run was missed and is not made up for. */
async function missedSchedules(db: NodePgDatabase, schedules: readonly Schedule[], now: Date) {
  const runs = createScheduleRuns(db);
  const states = await runs.states();
  const lastRuns = await runs.lastRuns(schedules.map(({ name }) => name));
  return schedules.flatMap(schedule => {
    const last = lastRuns.find(run => run.schedule === schedule.name);
    const dueAt = missedTime(schedule, states.get(schedule.name), last, now);
    return dueAt ? [{ name: schedule.name, dueAt }] : [];
  });
}

function missedTime(
  schedule: Schedule,
  state: ScheduleState | undefined,
  last: LastRun | undefined,
  now: Date,
): Date | undefined {
  if (!state || state.pausedAt) return undefined;
  const due = dueTimes(schedule).next(state.settledUntil);
  // A schedule that makes up for all of its runs may be waiting for the previous job.
  if (schedule.missed !== 'all' && now.getTime() - due.getTime() > onTimeMs) return due;
  return last?.outcome === 'missed-skipped' ? last.dueAt : undefined;
}

/** Jobs that wait because a call to the system failed; not those that wait for its rate limit. */
async function jobsWaitingForSystems(db: NodePgDatabase) {
  const { rows } = await db.execute(sql`
    select error -> 'upstream' ->> 'system' as system, count(*) as jobs from ${job}
    where state in ('scheduled', 'running') and error ->> 'type' = ${problemType('waiting-for-system')}
      and error -> 'upstream' ->> 'system' is not null
    group by 1 order by 1`);
  return z.array(z.object({ system: z.string(), jobs: count })).parse(rows);
}

/** Jobs whose last run ended because a disk was full. */
const countJobsWithoutSpace = (db: NodePgDatabase): Promise<number> =>
  db.$count(
    job,
    sql`${job.state} in ('scheduled', 'running') and ${job.error} ->> 'type' = ${problemType('storage-full')}`,
  );

/** Callbacks given up within the last 24 hours. */
async function countGivenUpCallbacks(db: NodePgDatabase): Promise<number> {
  const { rows } = await db.execute(sql`
    select count(*) as count from job_callback as callback
    where callback.state = 'failed' and exists (
      select 1 from job_event as tried
      where tried.job_id = callback.job_id and tried.type = 'callback-tried'
        and tried.at > now() - interval '24 hours')`);
  return z.object({ count }).parse(rows[0]).count;
}

const ExpiringSecret = z.object({ clientId: z.string(), name: z.string(), expiresAt: z.coerce.date() });

/** Replaced secrets that expire within a day, and that their client still uses. */
async function expiringSecrets(db: NodePgDatabase) {
  const { rows } = await db.execute(sql`
    select client.client_id as "clientId", client.name, min(old.expires_at) as "expiresAt"
    from oauth_secret as old join oauth_client as client using (client_id)
    where client.is_active and old.expires_at between now() and now() + interval '1 day'
      and old.last_used_at > now() - interval '1 hour' and old.last_used_at > (
        select max(newer.created_at) from oauth_secret as newer
        where newer.client_id = old.client_id and newer.expires_at is null)
    group by client.client_id order by 3`);
  return z.array(ExpiringSecret).parse(rows);
}
