/** Short links. */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';
import type { LinkKind } from './link.ts';
import type { Utm } from './utm.ts';

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
