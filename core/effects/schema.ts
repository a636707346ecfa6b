/** The effects ledger: what was done once in an outside system, or may have been. */
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema/time.ts';

export const effectTable = pgTable(
  'effect',
  {
    /** Says what is to happen once, such as `events:attendee:123:lead`. */
    key: text('key').primaryKey(),
    kind: text('kind').notNull(),
    system: text('system').notNull(),
    /** `claimed` while somebody is at it; `unknown` when it may have happened and nobody can tell. */
    state: text('state').$type<'claimed' | 'settled' | 'unknown'>().notNull(),
    claimId: uuid('claim_id').notNull(),
    /** From then on the claim counts as that of a process that died. */
    claimedUntil: time('claimed_until').notNull(),
    jobId: text('job_id'),
    runId: uuid('run_id'),
    result: jsonb('result').$type<unknown>(),
    createdAt: time('created_at').notNull().defaultNow(),
    settledAt: time('settled_at'),
  },
  table => [index('effect_of_kind').on(table.kind, table.createdAt), index('effect_age').on(table.createdAt)],
);
