/** What the worker that started last makes of each kind: results of another edition are not used again. */
import { pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';

export const jobEditionTable = pgTable('job_edition', {
  kind: text('kind').primaryKey(),
  edition: text('edition').notNull(),
  at: time('at').notNull().defaultNow(),
});
