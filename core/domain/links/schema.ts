/** Short links. */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  date,
  index,
  jsonb,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';
import type { ClickClass, Device, LinkKind } from './link.ts';
import type { Utm } from './link-fields.ts';

export const linkTable = pgTable(
  'link',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind').$type<LinkKind>().notNull(),
    name: text('name').notNull(),
    url: text('url').notNull(),
    utm: jsonb('utm').$type<Utm>().notNull(),
    /** The address with the UTM parameters, ready to be sent. */
    target: text('target').notNull(),
    slug: text('slug').notNull(),
    /** The slug as it is found by, whatever its case. */
    slugKey: text('slug_key').notNull().unique(),
    parentId: uuid('parent_id').references((): AnyPgColumn => linkTable.id),
    reference: text('reference'),
    clientId: text('client_id').notNull(),
    /** SHA-256 of what makes two links equal. */
    fingerprint: text('fingerprint').notNull(),
    expiresAt: time('expires_at'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  table => [
    // Ids are UUIDs of version 7: their order is that of creation.
    index('link_newest').on(table.kind, table.id),
    index('link_of_parent').on(table.parentId).where(sql`${table.parentId} is not null`),
    index('link_equal').on(table.fingerprint),
  ],
);

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
