/** Tables of alerts and their messages. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';
import type { AlertNews, Channel, Severity } from './alert.ts';

export const alertTable = pgTable(
  'alert',
  {
    id: uuid('id').primaryKey(),
    rule: text('rule').notNull(),
    subject: text('subject').notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    what: text('what').notNull(),
    mend: text('mend').notNull(),
    firstSeenAt: time('first_seen_at').notNull(),
    lastSeenAt: time('last_seen_at').notNull(),
    /** Null: pending, not yet open. */
    openedAt: time('opened_at'),
    /** Consecutive evaluations without a finding. */
    clearEvaluations: integer('clear_looks').notNull().default(0),
    /** Time of the last message about it. */
    notifiedAt: time('notified_at'),
    resolvedAt: time('resolved_at'),
    snoozedUntil: time('snoozed_until'),
    snoozedBy: text('snoozed_by'),
  },
  table => [
    uniqueIndex('alert_unresolved').on(table.rule, table.subject).where(sql`${table.resolvedAt} is null`),
    index('alert_newest').on(table.openedAt, table.id),
  ],
);

/** Outbox: one row per message and channel, written in the transaction that changes the alerts. */
export const alertMessageTable = pgTable(
  'alert_message',
  {
    /** UUID version 7: sorts by creation. */
    id: uuid('id').primaryKey(),
    channel: text('channel').$type<Channel>().notNull(),
    news: jsonb('news').$type<AlertNews>().notNull(),
    state: text('state').$type<'pending' | 'delivered' | 'failed'>().notNull().default('pending'),
    createdAt: time('created_at').notNull().defaultNow(),
    tries: integer('tries').notNull().default(0),
    /** During a try: the end of the lease. */
    nextTryAt: time('next_try_at').notNull().defaultNow(),
    lastError: text('last_error'),
    deliveredAt: time('delivered_at'),
  },
  table => [
    check('alert_message_state', sql`${table.state} in ('pending', 'delivered', 'failed')`),
    index('alert_message_pending').on(table.channel, table.id).where(sql`${table.state} = 'pending'`),
  ],
);

/** One row: time of the last evaluation by any process. */
export const alertEvaluationTable = pgTable(
  'alert_look',
  {
    only: boolean('only').primaryKey().default(true),
    at: time('at').notNull(),
  },
  table => [check('alert_look_only', sql`${table.only}`)],
);
