/** The level of each outside system's leaky bucket, shared by all processes. */
import { doublePrecision, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const callBudgetTable = pgTable('call_budget', {
  name: text('name').primaryKey(),
  /** Calls in the bucket at `at`. */
  level: doublePrecision('level').notNull().default(0),
  at: time('at').notNull().defaultNow(),
  /** The system asked for silence until then. */
  blockedUntil: time('blocked_until'),
});
