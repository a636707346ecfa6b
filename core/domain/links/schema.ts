/** Tables of short links and their clicks. Clicks hold no personal data. */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, boolean, date, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';
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
    /** Redirect target: `url` with the UTM parameters. */
    target: text('target').notNull(),
    slug: text('slug').notNull(),
    /** The slug in lower case. */
    slugKey: text('slug_key').notNull().unique(),
    parentId: uuid('parent_id').references((): AnyPgColumn => linkTable.id),
    reference: text('reference'),
    clientId: text('client_id').notNull(),
    /** SHA-256 of the members that make two links equal. */
    fingerprint: text('fingerprint').notNull(),
    expiresAt: time('expires_at'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  table => [
    // Ids are UUIDs of version 7: they sort by creation time.
    index('link_newest').on(table.kind, table.id),
    index('link_of_parent').on(table.parentId).where(sql`${table.parentId} is not null`),
    index('link_equal').on(table.fingerprint),
  ],
);

export const clickTable = pgTable(
  'click',
  {
    /** No foreign key: it would cost a lookup per click, and links are never deleted. */
    linkId: uuid('link_id').notNull(),
    at: time('at').notNull(),
    class: text('class').$type<ClickClass>().notNull(),
    /** Opened by the QR code. */
    scanned: boolean('scanned').notNull(),
    /** Stable for one person and day (UTC); null without a salt. Cannot be recomputed after the salt's deletion. */
    visitor: uuid('visitor'),
    /** ISO 3166-1 alpha-2. */
    country: text('country'),
    /** Host of the referring page. */
    referrer: text('referrer'),
    device: text('device').$type<Device>(),
    browser: text('browser'),
  },
  table => [
    // With all columns, so that analytics read the clicks of a link from neighbouring pages.
    index('click_of_link').on(
      table.linkId,
      table.at,
      table.class,
      table.scanned,
      table.visitor,
      table.country,
      table.referrer,
      table.device,
      table.browser,
    ),
    index('click_age').on(table.at),
  ],
);

/** Daily secret for visitor hashes; deleted after two days. */
export const visitorSaltTable = pgTable('visitor_salt', {
  /** UTC. */
  day: date('day', { mode: 'string' }).primaryKey(),
  salt: text('salt').notNull(),
});
