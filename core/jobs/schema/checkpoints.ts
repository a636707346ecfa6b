/** How far the runs of jobs have come, for the run that goes on when one was cut off. */
import { jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { jobTable } from './jobs.ts';

export const jobCheckpointTable = pgTable('job_checkpoint', {
  jobId: text('job_id')
    .primaryKey()
    .references(() => jobTable.id, { onDelete: 'cascade' }),
  value: jsonb('value').$type<unknown>().notNull(),
  writtenAt: timestamp('written_at', { withTimezone: true, mode: 'date', precision: 3 })
    .notNull()
    .defaultNow(),
});
