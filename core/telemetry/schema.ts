/** Snapshots of each process's metrics, written every 5 seconds. */
import { json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Unlogged (see its migration): worthless after a crash, and otherwise most of what PostgreSQL writes. */
export const processMetricsTable = pgTable(
  'process_metrics',
  {
    process: text('process').notNull(),
    /** `host:pid`. */
    instance: text('instance').notNull(),
    at: timestamp('at', { withTimezone: true, mode: 'date', precision: 3 }).notNull().defaultNow(),
    /** From prom-client's `getMetricsAsJSON`; `json`, because no query searches in it. */
    snapshot: json('snapshot').$type<unknown>().notNull(),
  },
  table => [primaryKey({ columns: [table.process, table.instance] })],
);
