/** The effects ledger: one-time effects in vendor systems, and leases on records. */
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';

export const effectTable = pgTable(
  'effect',
  {
    /** Names the effect, such as `events:attendee:123:lead`. */
    key: text('key').primaryKey(),
    kind: text('kind').notNull(),
    system: text('system').notNull(),
    /** `claimed`: under a lease, or left open; `unknown`: it may have happened, and the vendor has no lookup. */
    state: text('state').$type<'claimed' | 'settled' | 'unknown'>().notNull(),
    leaseId: uuid('lease_id').notNull(),
    /** After it another process may take the lease over. */
    leasedUntil: time('leased_until').notNull(),
    jobId: text('job_id'),
    runId: uuid('run_id'),
    result: jsonb('result').$type<unknown>(),
    createdAt: time('created_at').notNull().defaultNow(),
    settledAt: time('settled_at'),
  },
  table => [index('effect_of_kind').on(table.kind, table.createdAt), index('effect_age').on(table.createdAt)],
);
