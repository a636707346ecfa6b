/** What each process measures of itself, written every few seconds, so that one scrape tells of all of them. */
import { json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Unlogged, as its migration says: it is worth nothing after a crash, and would be most of what PostgreSQL writes. */
export const processMetricsTable = pgTable(
  'process_metrics',
  {
    process: text('process').notNull(),
    /** `host:pid`. */
    instance: text('instance').notNull(),
    at: timestamp('at', { withTimezone: true, mode: 'date', precision: 3 }).notNull().defaultNow(),
    /** As prom-client gives them with `getMetricsAsJSON`; as text, because nothing in it is ever looked for. */
    snapshot: json('snapshot').$type<unknown>().notNull(),
  },
  table => [primaryKey({ columns: [table.process, table.instance] })],
);
