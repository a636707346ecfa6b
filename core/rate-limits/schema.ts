/** Rate limit counters of all processes; columns and their order are those of rate-limiter-flexible. */
import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core';

export const rateLimitTable = pgTable('rate_limit', {
  key: text('key').primaryKey(),
  points: integer('points').notNull().default(0),
  /** In ms since 1970. */
  expire: bigint('expire', { mode: 'number' }),
});
