/** Tables of short links and their clicks. Clicks hold no personal data. */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
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

const clickColumns = () => ({
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
});

/** Partitioned by month of `at`. */
export const clickTable = pgTable('link_click', clickColumns(), table => [
  index('link_click_of_link').on(table.linkId, table.class, table.scanned, table.at),
  index('link_click_age').using('brin', table.at),
]);

/** The default partition: the clicks of earlier versions, and of months without a partition of their own. */
export const defaultClickTable = pgTable('click', clickColumns(), table => [
  index('click_of_link').on(table.linkId, table.class, table.scanned, table.at),
  index('click_age').using('brin', table.at),
]);

/**
 * Clicks of campaigns and projects, with those of their child links, per day in Dubai and per month (dimensions such as
 * `month link`, on its first day); of each link the totals. A trigger on inserts counts them. Kept when the clicks themselves
 * are deleted.
 */
export const clickDayTable = pgTable(
  'click_day',
  {
    linkId: uuid('link_id').notNull(),
    /** -infinity: the totals of all days (dimension `total`, of the link alone). */
    day: date('day', { mode: 'string' }).notNull(),
    dimension: text('dimension').notNull(),
    /** '' for null: no referrer, an unknown country. */
    value: text('value').notNull(),
    /** By people; of the dimensions `class`, `month class` and `total` all clicks. */
    clicks: integer('clicks').notNull(),
    /** Different visitors; only of the dimension `day`. */
    people: integer('people').notNull().default(0),
    /** Of these, those that visited the day before as well: the day of a visitor's hash is one in UTC. */
    again: integer('again').notNull().default(0),
  },
  table => [primaryKey({ columns: [table.linkId, table.dimension, table.day, table.value] })],
);

/** The visitors of campaigns and projects of the last days, so that each is counted once a day. */
export const clickVisitorTable = pgTable(
  'click_visitor',
  {
    linkId: uuid('link_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    visitor: uuid('visitor').notNull(),
  },
  table => [
    primaryKey({ columns: [table.linkId, table.visitor, table.day] }),
    index('click_visitor_day').on(table.day),
  ],
);

/** Read position in the click spool file of an API process. */
export const clickSpoolTable = pgTable('click_journal', {
  id: uuid('id').primaryKey(),
  /** In bytes; the clicks before it are in the table `click`. */
  readTo: bigint('read_to', { mode: 'number' }).notNull(),
  countedAt: time('counted_at').notNull().defaultNow(),
  /** The file is deleted; the row can be deleted too. */
  isFinished: boolean('is_finished').notNull().default(false),
});

/** Daily secret for visitor hashes; deleted after two days. */
export const visitorSaltTable = pgTable('visitor_salt', {
  /** UTC. */
  day: date('day', { mode: 'string' }).primaryKey(),
  salt: text('salt').notNull(),
});
