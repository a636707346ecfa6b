/** Tables of schedules and their runs: one run a due time. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { jobTable } from '../jobs/schema.ts';
import { time } from '../postgres/schema.ts';

export const RunOutcome = z
  .enum(['fired', 'missed-fired', 'missed-skipped', 'skipped-overlap', 'skipped-paused'])
  .describe(
    '`fired`: started a job. `missed-fired`: no scheduler ran at the due time; the job was started later. ' +
      '`missed-skipped`: missed and not caught up. `skipped-overlap`: the previous job was still open. ' +
      '`skipped-paused`: the schedule was paused.',
  );
export type RunOutcome = z.infer<typeof RunOutcome>;

export const scheduleTable = pgTable('schedule', {
  name: text('name').primaryKey(),
  /** Cron expression and time zone; a change resets `dueSince`, so earlier due times are not caught up. */
  timing: text('timing').notNull(),
  /** Due times before this are ignored: the schedule was not registered yet, or was paused. */
  dueSince: time('due_since').notNull().defaultNow(),
  pausedAt: time('paused_at'),
  pausedBy: text('paused_by'),
});

export const scheduleFireTable = pgTable(
  'schedule_fire',
  {
    schedule: text('schedule').notNull(),
    /** For a manual run, the time of the request. */
    dueAt: time('due_at').notNull(),
    outcome: text('outcome').$type<RunOutcome>().notNull(),
    /** The job it started, or the open job because of which it was skipped. */
    jobId: text('job_id').references(() => jobTable.id, { onDelete: 'set null' }),
    /** Started by the client or operator in `by`, not by the clock. */
    manual: boolean('manual').notNull().default(false),
    /** The client's id or the operator's login; `scheduler` for the clock. */
    by: text('by').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.schedule, table.dueAt] }),
    check(
      'schedule_fire_outcome',
      sql`${table.outcome} in ('fired', 'missed-fired', 'missed-skipped', 'skipped-overlap', 'skipped-paused')`,
    ),
    index('schedule_fire_by_clock').on(table.schedule, table.dueAt).where(sql`not ${table.manual}`),
    index('schedule_fire_age').on(table.at),
    index('schedule_fire_of_job').on(table.jobId).where(sql`${table.jobId} is not null`),
  ],
);
