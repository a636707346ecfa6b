/** What the do-not-call registry said of numbers, and the text messages that were sent. */
import { index, integer, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';

/** Each check stays, as proof of what was known when a message was sent; the newest of a number is the cache. */
export const dncCheckTable = pgTable(
  'dnc_check',
  {
    e164: text('e164').notNull(),
    checkedAt: time('checked_at').notNull().defaultNow(),
    status: text('status').$type<'listed' | 'clear'>().notNull(),
    source: text('source').$type<'registry' | 'sandbox'>().notNull(),
    clientId: text('client_id').notNull(),
  },
  table => [
    primaryKey({ columns: [table.e164, table.checkedAt] }),
    index('dnc_check_age').on(table.checkedAt),
  ],
);

/** Neither the text nor the number: what is billed, and why it was allowed. */
export const smsMessageTable = pgTable(
  'sms_message',
  {
    id: text('id').primaryKey(),
    clientId: text('client_id').notNull(),
    kind: text('kind').$type<'service' | 'marketing'>().notNull(),
    sender: text('sender').notNull(),
    parts: integer('parts').notNull(),
    /** `sending` and `unknown` ones count as sent: they may have been. */
    state: text('state').$type<'sending' | 'sent' | 'unknown'>().notNull(),
    /** What the registry said and when; null where the number is none of its. */
    dncCheckedAt: time('dnc_checked_at'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  table => [
    index('sms_message_of_client').on(table.clientId, table.createdAt),
    index('sms_message_age').on(table.createdAt),
  ],
);

/** What the SMS gateway said of the balance, for each time it was asked. */
export const smsBalanceTable = pgTable('sms_balance', {
  askedAt: time('asked_at').primaryKey().defaultNow(),
  /** Null: it could not be read. */
  amount: numeric('amount', { mode: 'number' }),
  currency: text('currency'),
});
