/** Schedules: what there is to remember of each, and the ledger of their fires, one row a due time. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { jobTable } from '../jobs/schema/jobs.ts';
import { time } from '../postgres/schema/time.ts';
import type { FireOutcome } from './run.ts';

export const scheduleTable = pgTable('schedule', {
  name: text('name').primaryKey(),
  /** As it was when `dueSince` was set: a schedule that fires at other times owes none of the earlier ones. */
  timing: text('timing').notNull(),
  /** Due times before this are no concern of the schedule: it was not there yet, or paused. */
  dueSince: time('due_since').notNull().defaultNow(),
  pausedAt: time('paused_at'),
  pausedBy: text('paused_by'),
});

export const scheduleFireTable = pgTable(
  'schedule_fire',
  {
    schedule: text('schedule').notNull(),
    dueAt: time('due_at').notNull(),
    outcome: text('outcome').$type<FireOutcome>().notNull(),
    /** The job it made, or the one that stood in its way. */
    jobId: text('job_id').references(() => jobTable.id, { onDelete: 'set null' }),
    /** Asked for by a client (`by`), not by the clock. */
    manual: boolean('manual').notNull().default(false),
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
