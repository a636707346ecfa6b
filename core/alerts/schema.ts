/** Alerts, the messages that tell of them, and what they are made of that is read from outside. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema/time.ts';
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
    /** Null: it is not known yet whether it lasts, and nobody is told. */
    openedAt: time('opened_at'),
    /** Looks in a row that did not find it. */
    clearLooks: integer('clear_looks').notNull().default(0),
    /** When it last went into a message. */
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

/** The outbox: a row a message and channel, written together with the change of the alerts that it tells. */
export const alertMessageTable = pgTable(
  'alert_message',
  {
    /** UUIDs of version 7: their order is that of writing. */
    id: uuid('id').primaryKey(),
    channel: text('channel').$type<Channel>().notNull(),
    news: jsonb('news').$type<AlertNews>().notNull(),
    state: text('state').$type<'pending' | 'delivered' | 'failed'>().notNull().default('pending'),
    createdAt: time('created_at').notNull().defaultNow(),
    tries: integer('tries').notNull().default(0),
    /** While a process tries, the time from which another may. */
    nextTryAt: time('next_try_at').notNull().defaultNow(),
    lastError: text('last_error'),
    deliveredAt: time('delivered_at'),
  },
  table => [
    check('alert_message_state', sql`${table.state} in ('pending', 'delivered', 'failed')`),
    index('alert_message_pending').on(table.channel, table.id).where(sql`${table.state} = 'pending'`),
  ],
);

/** One row: when the rules were last gone through, whichever process did it. */
export const alertLookTable = pgTable(
  'alert_look',
  {
    only: boolean('only').primaryKey().default(true),
    at: time('at').notNull(),
  },
  table => [check('alert_look_only', sql`${table.only}`)],
);
