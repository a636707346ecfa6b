/** What happened to each job, in order. A trigger on the job's row writes its changes, so that no writer can forget. */
import { sql } from 'drizzle-orm';
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { JobEventType } from '../event.ts';
import { jobTable } from './jobs.ts';

export const jobEventTable = pgTable(
  'job_event',
  {
    /** Rises with each change of one job: the row's lock puts its changes in line. */
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    jobId: text('job_id')
      .notNull()
      .references(() => jobTable.id, { onDelete: 'cascade' }),
    at: timestamp('at', { withTimezone: true, mode: 'date', precision: 3 }).notNull().defaultNow(),
    type: text('type').$type<JobEventType>().notNull(),
    /** Of a change: the job as it stood then (`JobSnapshot`); of anything else what there is to know of it. */
    data: jsonb('data').$type<unknown>().notNull().default({}),
  },
  table => [
    index('job_event_of_job').on(table.jobId, table.id),
    index('job_event_put_back').on(table.at).where(sql`${table.type} = 'put-back'`),
  ],
);
