/** What held jobs are about to do, kept whole until a person has decided, and who let them go on. */
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';
import { jobTable } from './jobs.ts';

export const jobPlanTable = pgTable('job_plan', {
  jobId: text('job_id')
    .primaryKey()
    .references(() => jobTable.id, { onDelete: 'cascade' }),
  plan: jsonb('plan').$type<unknown>().notNull(),
  heldAt: time('held_at').notNull().defaultNow(),
  /** The client or the operator that released the job; null while it is held. */
  releasedBy: text('released_by'),
  releasedAt: time('released_at'),
});
