/** Tables: the mirror of the listing portal's locations, its search phrases, and manual location aliases. */
import { sql } from 'drizzle-orm';
import { boolean, customType, doublePrecision, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';

const ltree = customType<{ data: string }>({ dataType: () => 'ltree' });
/** Byte-wise collation, so that one index serves prefix searches and ordering. */
const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

export const portalLocationTable = pgTable(
  'portal_location',
  {
    /** The portal's id. */
    id: integer('id').primaryKey(),
    type: text('type').notNull(),
    name: text('name').notNull(),
    nameAr: text('name_ar'),
    /** Ids from the root down to itself. */
    path: ltree('path').notNull(),
    latitude: doublePrecision('latitude'),
    longitude: doublePrecision('longitude'),
    /** Number of descendants; of equally named locations the larger one ranks first. */
    placesBelow: integer('places_below').notNull().default(0),
    /** Normal names: English, Arabic, without the text in brackets, only that text, initials. */
    callNames: text('call_names').array().notNull(),
    /** `callNames` transliterated to Latin and joined: `| jumeirah village circle | jvc |`; for trigram search. */
    soughtName: text('sought_name').notNull(),
    /** The same for the location and its ancestors. */
    soughtPath: text('sought_path').notNull(),
    firstSeenAt: time('first_seen_at').notNull().defaultNow(),
    /** When the portal was first found without it; null while the portal has it. */
    goneAt: time('gone_at'),
  },
  table => [
    index('portal_location_path').using('gist', table.path),
    index('portal_location_sought_name').using('gin', sql`${table.soughtName} gin_trgm_ops`),
    index('portal_location_sought_large')
      .using('gin', sql`${table.soughtName} gin_trgm_ops`)
      .where(sql`${table.placesBelow} > 0`),
    index('portal_location_sought_path').using('gin', sql`${table.soughtPath} gin_trgm_ops`),
  ],
);

/**
 * Phrases for search-as-you-type: each normal name, and its rest from each further word on. There are separate indexes
 * because the few locations with descendants are ranked by size and the others by name, which an index has in order.
 */
export const portalLocationNameTable = pgTable(
  'portal_location_name',
  {
    locationId: integer('location_id').notNull(),
    phrase: bytewiseText('phrase').notNull(),
    /** True for a whole name, false for the rest of one. */
    whole: boolean('whole').notNull(),
    /** Copied from the location's row. */
    type: text('type').notNull(),
    placesBelow: integer('places_below').notNull(),
  },
  table => [
    index('portal_location_name_of').on(table.locationId),
    index('portal_location_name_large').on(table.phrase).where(sql`${table.placesBelow} > 0`),
    index('portal_location_name_small').on(table.phrase).where(sql`${table.placesBelow} = 0 and ${table.whole}`),
    index('portal_location_name_part').on(table.phrase).where(sql`${table.placesBelow} = 0 and not ${table.whole}`),
  ],
);

/** Manual decisions about which CRM location a portal location is. */
export const locationAliasTable = pgTable('location_alias', {
  portalLocationId: integer('portal_location_id').primaryKey(),
  crmLocationId: integer('crm_location_id').notNull(),
  decidedBy: text('decided_by').notNull(),
  decidedAt: time('decided_at').notNull().defaultNow(),
});
