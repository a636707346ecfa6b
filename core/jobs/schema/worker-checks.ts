/** What the workers last found when they looked at what only they have, such as their browser. */
import { pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { Level } from '../../runtime/finding.ts';

export const workerCheckTable = pgTable(
  'worker_check',
  {
    workerId: text('worker_id').notNull(),
    name: text('name').notNull(),
    level: text('level').$type<Level>().notNull(),
    found: text('found').notNull(),
    mend: text('mend'),
    checkedAt: timestamp('checked_at', { withTimezone: true, mode: 'date', precision: 3 })
      .notNull()
      .defaultNow(),
  },
  table => [primaryKey({ columns: [table.workerId, table.name] })],
);
