/** Signs of life of the workers, for the readiness view. */
import { integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

export const workerSignTable = pgTable(
  'worker_sign',
  {
    workerId: text('worker_id').notNull(),
    kind: text('kind').notNull(),
    running: integer('running').notNull(),
    seenAt: timestamp('seen_at', { withTimezone: true, mode: 'date', precision: 3 }).notNull().defaultNow(),
  },
  table => [primaryKey({ columns: [table.workerId, table.kind] })],
);
