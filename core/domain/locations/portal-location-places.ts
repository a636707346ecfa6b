/** Reads locations of the listing portal together with the places that they lie in. */
import { sql } from 'drizzle-orm';
import type { Location, Place } from '../../integrations/listing-portal/location.ts';
import type { Database } from '../../postgres/client.ts';
import { portalLocationTable as table } from './schema.ts';

type Row = Pick<
  typeof table.$inferSelect,
  'id' | 'type' | 'name' | 'nameAr' | 'path' | 'latitude' | 'longitude'
>;

/** @returns those that the portal has, in any order */
export async function locationsWithPlaces(database: Database, ids: readonly number[]): Promise<Location[]> {
  const rows = await database
    .select()
    .from(table)
    .where(
      sql`${table.id} = any(array(
        select unnest(string_to_array(path::text, '.')::int[]) from ${table}
        where id = any(${sql.param([...ids])}::int[]) and gone_at is null))`,
    );
  const meant = new Set(ids);
  return withPlaces(
    rows.filter(({ id, goneAt }) => meant.has(id) && goneAt === null),
    rows,
  );
}

/** @param all the rows themselves, and those that they lie in */
export function withPlaces(rows: readonly Row[], all: readonly Row[]): Location[] {
  const places = new Map(
    all.map(({ id, type, name, nameAr }): [number, Place] => [id, { id, type, name, nameAr }]),
  );
  return rows.map(({ id, type, name, nameAr, path, latitude, longitude }) => ({
    ...{ id, type, name, nameAr },
    places: path.split('.').flatMap(above => places.get(Number(above)) ?? []),
    coordinates: latitude === null || longitude === null ? null : { lat: latitude, lng: longitude },
  }));
}
