/** The leaky buckets of vendor systems, shared by all processes. */
import { doublePrecision, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** With the full precision of PostgreSQL: the buckets drain by microseconds. */
const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const callBudgetTable = pgTable('call_budget', {
  name: text('name').primaryKey(),
  /** Calls in the bucket at `at`. */
  level: doublePrecision('level').notNull().default(0),
  at: time('at').notNull().defaultNow(),
  /** The vendor asked for a pause until then. */
  blockedUntil: time('blocked_until'),
});
