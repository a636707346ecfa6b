/** Clicks on short links, without anything that tells who clicked; and how far the journals they come from are read. */
import { bigint, boolean, date, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';
import type { ClickClass, Device } from './click.ts';

export const clickTable = pgTable(
  'click',
  {
    /** No foreign key: it would be looked up with each click, and links are never deleted. */
    linkId: uuid('link_id').notNull(),
    at: time('at').notNull(),
    class: text('class').$type<ClickClass>().notNull(),
    /** From the QR code. */
    scanned: boolean('scanned').notNull(),
    /** The same for one person on one day (UTC) only, and of no use once that day's salt is deleted. */
    visitor: uuid('visitor'),
    country: text('country'),
    /** Host only. */
    referrer: text('referrer'),
    device: text('device').$type<Device>(),
    browser: text('browser'),
  },
  // Totals are answered from the index alone.
  table => [
    index('click_of_link').on(table.linkId, table.class, table.scanned, table.at),
    // Clicks are written as they come: ranges of blocks tell their age, and cost a click nothing.
    index('click_age').using('brin', table.at),
  ],
);

/** A journal is a file of an API process; its clicks up to `readTo` are in the table. */
export const clickJournalTable = pgTable('click_journal', {
  id: uuid('id').primaryKey(),
  /** In bytes. */
  readTo: bigint('read_to', { mode: 'number' }).notNull(),
  countedAt: time('counted_at').notNull().defaultNow(),
  /** The file is gone: nothing will ask for the row again. */
  isFinished: boolean('is_finished').notNull().default(false),
});

/** A day's secret, of which the visitors of that day are made; deleted after two days. */
export const visitorSaltTable = pgTable('visitor_salt', {
  /** UTC. */
  day: date('day', { mode: 'string' }).primaryKey(),
  salt: text('salt').notNull(),
});
