/**
 * Runs of schedules, one per schedule and due time. A run and its job are inserted in one transaction, so each due time
 * starts exactly one job, however many schedulers there are and wherever one of them dies.
 */
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import type { JobRecord, NewJob } from '../jobs/record.ts';
import { insertJob } from '../jobs/repository/insert.ts';
import { findJob, openStates } from '../jobs/repository/rows.ts';
import { jobTable } from '../jobs/schema.ts';
import { recordAuditEntry } from '../postgres/audit.ts';
import type { Actor } from '../runtime/actor.ts';
import { RunOutcome, scheduleFireTable as run, scheduleTable as schedule } from './schema.ts';

type Row = typeof schedule.$inferSelect;

/** Every due time up to `settledUntil` has a run. */
export type ScheduleState = Pick<Row, 'name' | 'pausedAt' | 'pausedBy'> & { settledUntil: Date };
export type RegisteredSchedule = Pick<Row, 'name' | 'timing'>;

export interface RunEntry {
  schedule: string;
  dueAt: Date;
  /** Recorded when the run starts a job, or has none to start. */
  outcome: RunOutcome;
  job?: NewJob;
  /** While the previous job is open: record nothing instead of `skipped-overlap`. */
  waits?: boolean;
  /** Absent: the clock. */
  askedBy?: Actor;
}

export interface RecordedRun {
  /** `taken`: the due time has a run already. `waits`: not recorded, because the previous job is open. */
  outcome: RunOutcome | 'taken' | 'waits';
  /** The job it started, or the open job because of which it was skipped. */
  job: JobRecord | undefined;
}

const LastRun = z.object({
  schedule: z.string(),
  dueAt: z.coerce.date(),
  outcome: RunOutcome,
  manual: z.boolean(),
  by: z.string(),
  jobId: z.string().nullable(),
  jobState: z.string().nullable(),
});
export type LastRun = z.infer<typeof LastRun>;

export type ScheduleRuns = ReturnType<typeof createScheduleRuns>;
export type ScheduleRun = Awaited<ReturnType<ScheduleRuns['history']>>[number];

type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

const now = sql`now()`;

const runColumns = {
  dueAt: run.dueAt,
  outcome: run.outcome,
  jobId: run.jobId,
  jobState: jobTable.state,
  manual: run.manual,
  by: run.by,
};

export function createScheduleRuns(db: NodePgDatabase) {
  return {
    /** Missed runs are counted from the registration; a changed timing registers the schedule again. */
    async register(schedules: readonly RegisteredSchedule[]): Promise<void> {
      if (schedules.length === 0) return;
      await db
        .insert(schedule)
        .values([...schedules])
        .onConflictDoUpdate({
          target: schedule.name,
          set: { timing: sql`excluded.timing`, dueSince: now },
          setWhere: sql`${schedule.timing} <> excluded.timing`,
        });
    },

    async states(): Promise<Map<string, ScheduleState>> {
      const lastByClock = sql`select max(due_at) from schedule_fire as last where last.schedule = ${schedule.name} and not last.manual`;
      const states = await db
        .select({
          name: schedule.name,
          settledUntil: sql<Date>`greatest(${schedule.dueSince}, (${lastByClock}))`.mapWith(schedule.dueSince),
          pausedAt: schedule.pausedAt,
          pausedBy: schedule.pausedBy,
        })
        .from(schedule);
      return new Map(states.map(state => [state.name, state]));
    },

    /** Newest first. */
    history: (name: string, limit: number) =>
      db
        .select(runColumns)
        .from(run)
        .leftJoin(jobTable, eq(jobTable.id, run.jobId))
        .where(eq(run.schedule, name))
        .orderBy(desc(run.dueAt))
        .limit(limit),

    /** The newest run of each of these schedules that has run. */
    async lastRuns(schedules: readonly string[]): Promise<LastRun[]> {
      const { rows } = await db.execute(sql`
        select last.schedule, last.due_at as "dueAt", last.outcome, last.manual, last.by,
          last.job_id as "jobId", job.state as "jobState"
        from unnest(${sql.param([...schedules])}::text[]) as asked (name)
        cross join lateral (
          select * from schedule_fire where schedule = asked.name order by due_at desc limit 1
        ) as last
        left join job on job.id = last.job_id`);
      return rows.map(row => LastRun.parse(row));
    },

    record: (entry: RunEntry) => db.transaction(tx => recordRun(tx, entry)),
    /** Idempotent. Due times during the pause are not caught up. */
    setPaused: (registered: RegisteredSchedule, isPaused: boolean, by: Actor) =>
      db.transaction(tx => setPaused(tx, registered, isPaused, by)),
  };
}

async function setPaused(
  tx: Transaction,
  { name, timing }: RegisteredSchedule,
  isPaused: boolean,
  by: Actor,
): Promise<void> {
  await tx.insert(schedule).values({ name, timing }).onConflictDoNothing();
  const differs = isPaused ? sql`${schedule.pausedAt} is null` : sql`${schedule.pausedAt} is not null`;
  const { rowCount } = await tx
    .update(schedule)
    .set(isPaused ? { pausedAt: now, pausedBy: by.name } : { pausedAt: null, pausedBy: null, dueSince: now })
    .where(and(eq(schedule.name, name), differs));
  if (rowCount === 0) return;
  await recordAuditEntry(tx, by, {
    action: isPaused ? 'schedules.pause' : 'schedules.resume',
    target: `/schedules/${name}`,
    before: { paused: !isPaused },
    after: { paused: isPaused },
  });
}

async function recordRun(tx: Transaction, entry: RunEntry): Promise<RecordedRun> {
  const { schedule: name, dueAt, askedBy } = entry;
  // Serializes the runs of a schedule, so that each sees the jobs of the runs before it.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`schedule ${name}`}, 0))`);
  if ((await tx.$count(run, and(eq(run.schedule, name), eq(run.dueAt, dueAt)))) > 0)
    return { outcome: 'taken', job: undefined };
  const { outcome, job } = entry.job
    ? await insertRunJob(tx, entry, entry.job)
    : { outcome: entry.outcome, job: undefined };
  if (outcome === 'waits') return { outcome, job };
  await tx.insert(run).values({
    schedule: name,
    dueAt,
    outcome,
    jobId: job?.id,
    manual: askedBy !== undefined,
    by: askedBy?.name ?? 'scheduler',
  });
  if (askedBy) {
    await recordAuditEntry(tx, askedBy, {
      action: 'schedules.run',
      target: `/schedules/${name}`,
      before: null,
      after: { outcome, jobId: job?.id ?? null },
    });
  }
  return { outcome, job };
}

async function insertRunJob(
  tx: Transaction,
  { schedule: name, outcome, waits }: RunEntry,
  wanted: NewJob,
): Promise<{ outcome: RunOutcome | 'waits'; job: JobRecord }> {
  const job = (await openJobOf(tx, name)) ?? (await insertJob(tx, wanted)).job;
  if (job.id === wanted.id) return { outcome, job };
  return { outcome: waits ? 'waits' : 'skipped-overlap', job };
}

async function openJobOf(tx: Transaction, name: string): Promise<JobRecord | undefined> {
  const [found] = await tx
    .select({ id: jobTable.id })
    .from(run)
    .innerJoin(jobTable, eq(jobTable.id, run.jobId))
    .where(and(eq(run.schedule, name), inArray(jobTable.state, openStates)))
    .orderBy(desc(run.dueAt))
    .limit(1);
  return found && (await findJob(tx, found.id));
}
