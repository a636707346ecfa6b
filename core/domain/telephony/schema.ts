/** Tables: checks of the do-not-call registry, sent text messages, and the SMS gateway's balance. */
import { date, index, integer, jsonb, numeric, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';
import type { Consent } from '../consent/evidence.ts';

/** All checks are kept as evidence for sent messages; the newest one of a number is the cache. */
export const dncCheckTable = pgTable(
  'dnc_check',
  {
    e164: text('e164').notNull(),
    checkedAt: time('checked_at').notNull().defaultNow(),
    status: text('status').$type<'listed' | 'clear'>().notNull(),
    source: text('source').$type<'registry' | 'sandbox'>().notNull(),
    clientId: text('client_id').notNull(),
  },
  table => [primaryKey({ columns: [table.e164, table.checkedAt] }), index('dnc_check_age').on(table.checkedAt)],
);

/** Unique: rows without a day differ. */
export const marketingOfDay = 'sms_message_marketing_of_day';

/** Stores what was billed and why it was permitted; neither the text nor the number. */
export const smsMessageTable = pgTable(
  'sms_message',
  {
    id: text('id').primaryKey(),
    clientId: text('client_id').notNull(),
    kind: text('kind').$type<'service' | 'marketing'>().notNull(),
    sender: text('sender').notNull(),
    parts: integer('parts').notNull(),
    /** `sending` and `unknown` messages count as sent, because they may have been sent. */
    state: text('state').$type<'sending' | 'sent' | 'unknown'>().notNull(),
    /** Time of the registry check; null if the number was not checked or is outside the registry. */
    dncCheckedAt: time('dnc_checked_at'),
    /** Keyed hash of the number; null for messages of 0.x. */
    contact: text('contact'),
    /** Evidence for marketing. */
    consent: jsonb('consent').$type<Consent>(),
    /** The day of marketing, in Asia/Dubai: at most one message for each number and day. */
    marketingDay: date('marketing_day'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  table => [
    index('sms_message_of_client').on(table.clientId, table.createdAt),
    index('sms_message_age').on(table.createdAt),
    index('sms_message_of_contact').on(table.contact, table.createdAt),
    uniqueIndex(marketingOfDay).on(table.contact, table.marketingDay),
  ],
);

/** One row for each reading of the SMS gateway's balance. */
export const smsBalanceTable = pgTable('sms_balance', {
  askedAt: time('asked_at').primaryKey().defaultNow(),
  /** Null if the balance could not be read. */
  amount: numeric('amount', { mode: 'number' }),
  currency: text('currency'),
});
