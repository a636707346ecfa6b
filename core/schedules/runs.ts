/**
 * The ledger of fires: what came of each due time of each schedule. The due time and the job it makes are written in
 * one transaction, so that however many schedulers there are, and wherever one of them dies, each fire makes one job.
 */

import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import type { JobRecord, NewJob } from '../jobs/record.ts';
import { findJob, insertJob, openStates } from '../jobs/repository/rows.ts';
import { jobTable } from '../jobs/schema/jobs.ts';
import { recordAct } from '../postgres/audit.ts';
import type { Actor } from '../runtime/actor.ts';
import { type Fire, FireOutcome, type ScheduleState } from './run.ts';
import { scheduleFireTable as fire, scheduleTable as schedule } from './schema.ts';

/** A schedule's name and when it fires, in one text. */
export interface KnownSchedule {
  name: string;
  timing: string;
}

export interface FireEntry {
  schedule: string;
  dueAt: Date;
  /** What is written when it makes its job, or when there is none to make. */
  outcome: FireOutcome;
  job?: NewJob;
  /** While the job before is at work: leave the fire open instead of skipping it. */
  waits?: boolean;
  /** The client that asked for it; absent: the clock did. */
  askedBy?: Actor;
}

export interface SettledFire {
  outcome: FireOutcome;
  /** The job it made, or the one that stood in its way. */
  job: JobRecord | undefined;
}

const LastRun = z.object({
  schedule: z.string(),
  dueAt: z.coerce.date(),
  outcome: FireOutcome,
  manual: z.boolean(),
  by: z.string(),
  jobId: z.string().nullable(),
  jobState: z.string().nullable(),
});
export type LastRun = z.infer<typeof LastRun>;

export interface Fires {
  /** From its first time on a schedule owes its fires; one whose times have changed begins anew. */
  know(schedules: readonly KnownSchedule[]): Promise<void>;
  states(): Promise<Map<string, ScheduleState>>;
  /** The newest first. */
  history(name: string, limit: number): Promise<Fire[]>;
  /** The newest run of each of these schedules that has run. */
  lastRuns(schedules: readonly string[]): Promise<LastRun[]>;
  /** `taken`: it is settled already. `waits`: it is left open, because the job before is at work. */
  settle(entry: FireEntry): Promise<SettledFire | 'taken' | 'waits'>;
  /** Changes nothing when it is so already. What fell due while it was paused is not made up for. */
  setPaused(known: KnownSchedule, isPaused: boolean, by: Actor): Promise<void>;
}

type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

const now = sql`now()`;

const fireColumns = {
  dueAt: fire.dueAt,
  outcome: fire.outcome,
  jobId: fire.jobId,
  jobState: jobTable.state,
  manual: fire.manual,
  by: fire.by,
};

export function createFires(db: NodePgDatabase): Fires {
  return {
    async know(schedules) {
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

    async states() {
      const lastByClock = sql`select max(due_at) from schedule_fire as last where last.schedule = ${schedule.name} and not last.manual`;
      const states = await db
        .select({
          name: schedule.name,
          settledUntil: sql<Date>`greatest(${schedule.dueSince}, (${lastByClock}))`.mapWith(
            schedule.dueSince,
          ),
          pausedAt: schedule.pausedAt,
          pausedBy: schedule.pausedBy,
        })
        .from(schedule);
      return new Map(states.map(state => [state.name, state]));
    },

    history: (name, limit) =>
      db
        .select(fireColumns)
        .from(fire)
        .leftJoin(jobTable, eq(jobTable.id, fire.jobId))
        .where(eq(fire.schedule, name))
        .orderBy(desc(fire.dueAt))
        .limit(limit),

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

    settle: entry => db.transaction(tx => settle(tx, entry)),

    setPaused: ({ name, timing }, isPaused, by) =>
      db.transaction(async tx => {
        await tx.insert(schedule).values({ name, timing }).onConflictDoNothing();
        const changes = isPaused ? sql`${schedule.pausedAt} is null` : sql`${schedule.pausedAt} is not null`;
        const { rowCount } = await tx
          .update(schedule)
          .set(
            isPaused
              ? { pausedAt: now, pausedBy: by.name }
              : { pausedAt: null, pausedBy: null, dueSince: now },
          )
          .where(and(eq(schedule.name, name), changes));
        if (rowCount === 0) return;
        await recordAct(tx, by, {
          action: isPaused ? 'schedules.pause' : 'schedules.resume',
          target: `/schedules/${name}`,
          before: { paused: !isPaused },
          after: { paused: isPaused },
        });
      }),
  };
}

async function settle(tx: Transaction, entry: FireEntry): Promise<SettledFire | 'taken' | 'waits'> {
  const { schedule: name, dueAt, askedBy } = entry;
  // One fire of a schedule after the other: each sees the jobs of those before it.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`schedule ${name}`}, 0))`);
  if ((await tx.$count(fire, and(eq(fire.schedule, name), eq(fire.dueAt, dueAt)))) > 0) return 'taken';
  const settled = entry.job
    ? await makeJob(tx, entry, entry.job)
    : { outcome: entry.outcome, job: undefined };
  if (settled === 'waits') return settled;
  await tx.insert(fire).values({
    schedule: name,
    dueAt,
    outcome: settled.outcome,
    jobId: settled.job?.id,
    manual: askedBy !== undefined,
    by: askedBy?.name ?? 'scheduler',
  });
  if (askedBy) {
    const after = { outcome: settled.outcome, jobId: settled.job?.id ?? null };
    await recordAct(tx, askedBy, {
      action: 'schedules.run',
      target: `/schedules/${name}`,
      before: null,
      after,
    });
  }
  return settled;
}

async function makeJob(
  tx: Transaction,
  { schedule: name, outcome, waits }: FireEntry,
  wanted: NewJob,
): Promise<SettledFire | 'waits'> {
  const before = await jobAtWork(tx, name);
  const job = before ?? (await insertJob(tx, wanted)).job;
  if (job.id === wanted.id) return { outcome, job };
  return waits ? 'waits' : { outcome: 'skipped-overlap', job };
}

/** The job of the schedule that is not over. */
async function jobAtWork(tx: Transaction, name: string): Promise<JobRecord | undefined> {
  const [found] = await tx
    .select({ id: jobTable.id })
    .from(fire)
    .innerJoin(jobTable, eq(jobTable.id, fire.jobId))
    .where(and(eq(fire.schedule, name), inArray(jobTable.state, openStates)))
    .orderBy(desc(fire.dueAt))
    .limit(1);
  return found && (await findJob(tx, found.id));
}
