/** The local copy of the listing portal's locations, and the people's decisions on which is which in the CRM. */
import { sql } from 'drizzle-orm';
import {
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });
const ltree = customType<{ data: string }>({ dataType: () => 'ltree' });

/** A place on the way from the root to a location. */
export interface PlaceOnPath {
  id: number;
  type: string;
  name: string;
  nameAr: string | null;
}

export const portalLocationTable = pgTable(
  'portal_location',
  {
    /** The portal's own. */
    id: integer('id').primaryKey(),
    type: text('type').notNull(),
    name: text('name').notNull(),
    nameAr: text('name_ar'),
    parentId: integer('parent_id'),
    /** Ids from the root to itself. */
    path: ltree('path').notNull(),
    /** The same with names, so that a location is answered without a look at those above it. */
    places: jsonb('places').$type<PlaceOnPath[]>().notNull(),
    /** `Marina Gate 1, Dubai Marina, Dubai`. */
    fullTitle: text('full_title').notNull(),
    latitude: doublePrecision('latitude'),
    longitude: doublePrecision('longitude'),
    /** How many locations lie below it: the larger of two equally named ones is meant more often. */
    placesBelow: integer('places_below').notNull().default(0),
    /** Normal names it is called by: English, Arabic, what stands in brackets, initials. */
    callNames: text('call_names').array().notNull(),
    /** They in one text, as `| jumeirah village circle | jvc |`, for prefixes, parts and misspellings. */
    soughtName: text('sought_name').notNull(),
    /** That of itself and of all above it. */
    soughtPath: text('sought_path').notNull(),
    firstSeenAt: time('first_seen_at').notNull().defaultNow(),
    /** Since when the portal no longer has it; null: it has. */
    goneAt: time('gone_at'),
  },
  table => [
    index('portal_location_path').using('gist', table.path),
    index('portal_location_call_names').using('gin', table.callNames),
    index('portal_location_sought_name').using('gin', sql`${table.soughtName} gin_trgm_ops`),
    index('portal_location_sought_path').using('gin', sql`${table.soughtPath} gin_trgm_ops`),
  ],
);

/** That a location of the portal is that of the CRM, as a person decided. */
export const locationAliasTable = pgTable('location_alias', {
  portalLocationId: integer('portal_location_id').primaryKey(),
  crmLocationId: integer('crm_location_id').notNull(),
  decidedBy: text('decided_by').notNull(),
  decidedAt: time('decided_at').notNull().defaultNow(),
});
