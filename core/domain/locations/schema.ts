/** The local copy of the listing portal's locations, and the people's decisions on which is which in the CRM. */
import { sql } from 'drizzle-orm';
import { boolean, customType, doublePrecision, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';

const ltree = customType<{ data: string }>({ dataType: () => 'ltree' });
/** Compared byte by byte, so that one index serves beginnings as well as order. */
const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

export const portalLocationTable = pgTable(
  'portal_location',
  {
    /** The portal's own. */
    id: integer('id').primaryKey(),
    type: text('type').notNull(),
    name: text('name').notNull(),
    nameAr: text('name_ar'),
    /** Ids from the root to itself. */
    path: ltree('path').notNull(),
    latitude: doublePrecision('latitude'),
    longitude: doublePrecision('longitude'),
    /** How many locations lie below it: the larger of two equally named ones is meant more often. */
    placesBelow: integer('places_below').notNull().default(0),
    /** The normal names it is called by: English, Arabic, without and only what stands in brackets, initials. */
    callNames: text('call_names').array().notNull(),
    /** They in Latin letters and one text, as `| jumeirah village circle | jvc |`, for other spellings. */
    soughtName: text('sought_name').notNull(),
    /** Those of itself and of all above it. */
    soughtPath: text('sought_path').notNull(),
    firstSeenAt: time('first_seen_at').notNull().defaultNow(),
    /** Since when the portal no longer has it; null: it has. */
    goneAt: time('gone_at'),
  },
  table => [
    index('portal_location_path').using('gist', table.path),
    index('portal_location_sought_name').using('gin', sql`${table.soughtName} gin_trgm_ops`),
    index('portal_location_sought_path').using('gin', sql`${table.soughtPath} gin_trgm_ops`),
  ],
);

/**
 * What a location may be looked up by while it is typed: its normal names, each from its beginning and from each
 * further word on. The indexes are apart because the few places that have others in them are ranked by size, and all
 * the others by name, which an index has in order already.
 */
export const portalLocationNameTable = pgTable(
  'portal_location_name',
  {
    locationId: integer('location_id').notNull(),
    phrase: bytewiseText('phrase').notNull(),
    /** Whether the phrase is a whole name, not the rest of one. */
    whole: boolean('whole').notNull(),
    /** As in the location's row. */
    type: text('type').notNull(),
    placesBelow: integer('places_below').notNull(),
  },
  table => [
    index('portal_location_name_of').on(table.locationId),
    index('portal_location_name_large').on(table.phrase).where(sql`${table.placesBelow} > 0`),
    index('portal_location_name_small')
      .on(table.phrase)
      .where(sql`${table.placesBelow} = 0 and ${table.whole}`),
    index('portal_location_name_part')
      .on(table.phrase)
      .where(sql`${table.placesBelow} = 0 and not ${table.whole}`),
  ],
);

/** That a location of the portal is that of the CRM, as a person decided. */
export const locationAliasTable = pgTable('location_alias', {
  portalLocationId: integer('portal_location_id').primaryKey(),
  crmLocationId: integer('crm_location_id').notNull(),
  decidedBy: text('decided_by').notNull(),
  decidedAt: time('decided_at').notNull().defaultNow(),
});
