/** The local copy of the listing portal's locations: changed in one transaction, so that readers see no half of it. */
import { eq, like, or, sql } from 'drizzle-orm';
import type { Location } from '../../integrations/listing-portal/location.ts';
import { callNames } from '../../integrations/listing-portal/normalize-name.ts';
import { romanised } from '../../integrations/listing-portal/transliterate.ts';
import type { Database } from '../../postgres/client.ts';
import type { Db } from '../../postgres/session.ts';
import { syncStateTable } from '../../sync/schema.ts';
import { locationsWithPlaces, withPlaces } from './portal-location-places.ts';
import { portalLocationTable } from './schema.ts';

export interface KnownLocation extends Location {
  /** The portal no longer has it. */
  gone: boolean;
}

export interface LocationChanges {
  /** New and changed ones, whole. */
  put: readonly Location[];
  /** Ids of those that the portal no longer has. */
  gone: readonly number[];
}

/** A read of the portal that came to its end. */
export interface FinishedRead {
  /** Undefined: all of them. */
  city: string | undefined;
  read: number;
  /** When it began. */
  asOf: Date;
}

export type PortalLocations = ReturnType<typeof createPortalLocations>;

const table = portalLocationTable;
const stateKind = 'listing-portal-locations';
const rowsAtOnce = 1_000;

export function createPortalLocations(database: Database) {
  return {
    /** All that were ever seen; of one city, by its name, when given. */
    async all(city?: string): Promise<KnownLocation[]> {
      const roots = sql`array(select path from ${table} where nlevel(path) = 1 and name = ${city})`;
      const rows = await database
        .select()
        .from(table)
        .where(city === undefined ? undefined : sql`${table.path} <@ ${roots}`);
      return withPlaces(rows, rows).map((location, index) => ({
        ...location,
        gone: rows[index]?.goneAt !== null,
      }));
    },

    /** Those of them that the portal has. */
    some: (ids: readonly number[]): Promise<Location[]> => locationsWithPlaces(database, ids),

    /** When the copy was last read to its end, wholly or else a city of it; undefined: never. */
    async asOf(): Promise<Date | undefined> {
      const states = await database
        .select()
        .from(syncStateTable)
        .where(or(eq(syncStateTable.kind, stateKind), like(syncStateTable.kind, `${stateKind}/%`)));
      const whole = states.find(({ kind }) => kind === stateKind);
      const times = (whole ? [whole] : states).map(({ asOf }) => asOf.getTime());
      return times.length === 0 ? undefined : new Date(Math.max(...times));
    },

    /** @param lastStep of the transaction: what fails in it undoes the changes */
    async change(
      changes: LocationChanges,
      read: FinishedRead,
      lastStep: (db: Db) => Promise<void> = async () => {},
    ): Promise<void> {
      await database.transaction(async transaction => {
        // Two reads that end together take turns, so that none waits for rows of the other crosswise.
        await transaction.execute(sql`select pg_advisory_xact_lock(hashtext(${stateKind}))`);
        for (let from = 0; from < changes.put.length; from += rowsAtOnce)
          await putRows(transaction, changes.put.slice(from, from + rowsAtOnce));
        await markGone(transaction, changes.gone);
        const changed = [...changes.put.map(({ id }) => id), ...changes.gone];
        if (changed.length > 0) await rank(transaction, changed);
        await writeState(transaction, read);
        await lastStep(transaction);
      });
      // Without fresh statistics the first searches after a large change would take the wrong way.
      if (changes.put.length > rowsAtOnce)
        await database.execute(sql`analyze portal_location, portal_location_name`);
    },
  };
}

function rowOf({ id, type, name, nameAr, places, coordinates }: Location): typeof table.$inferInsert {
  return {
    ...{ id, type, name, nameAr },
    path: places.map(place => place.id).join('.'),
    latitude: coordinates?.lat ?? null,
    longitude: coordinates?.lng ?? null,
    callNames: namesOf(name, nameAr),
    soughtName: sought([{ name, nameAr }]),
    soughtPath: sought([...places].reverse()),
    goneAt: null,
  };
}

/** Bars where names begin and end, blanks where words do: `| marina gate 1 | mg1 | maryna jyt 1 |`. */
function sought(places: readonly { name: string; nameAr: string | null }[]): string {
  const names = places.flatMap(({ name, nameAr }) => namesOf(name, nameAr).map(romanised));
  return `| ${[...new Set(names)].join(' | ')} |`;
}

const namesOf = (name: string, nameAr: string | null): string[] => [
  ...new Set([...callNames(name), ...callNames(nameAr ?? '')]),
];

const columns = [
  ...(['type', 'name', 'nameAr', 'path', 'latitude', 'longitude'] as const),
  ...(['callNames', 'soughtName', 'soughtPath', 'goneAt'] as const),
];

async function putRows(transaction: Db, locations: readonly Location[]): Promise<void> {
  const given = columns.map(column => [column, sql`excluded.${sql.identifier(table[column].name)}`]);
  await transaction
    .insert(table)
    .values(locations.map(rowOf))
    .onConflictDoUpdate({ target: table.id, set: Object.fromEntries(given) });
}

async function markGone(transaction: Db, ids: readonly number[]): Promise<void> {
  await transaction
    .update(table)
    .set({ goneAt: sql`now()` })
    .where(sql`${table.id} = any(${sql.param([...ids])}::int[])`);
}

/** Counts what lies below each, and makes the names anew that the changed ones are searched by. */
async function rank(transaction: Db, changed: readonly number[]): Promise<void> {
  const ids = sql`${sql.param([...changed])}::int[]`;
  await transaction.execute(sql`
    update portal_location set places_below = counted.below
    from (
      select place.id, count(*) - 1 as below
      from portal_location, unnest(string_to_array(path::text, '.')::int[]) as place (id)
      where gone_at is null group by place.id
    ) as counted
    where portal_location.id = counted.id and places_below <> counted.below`);
  await transaction.execute(sql`delete from portal_location_name where location_id = any(${ids})`);
  await transaction.execute(sql`
    insert into portal_location_name (location_id, phrase, whole, type, places_below)
    select distinct id, array_to_string(words[first:], ' '), first = 1, type, places_below
    from portal_location,
      unnest(call_names) as called,
      string_to_array(called, ' ') as words,
      generate_subscripts(words, 1) as first
    where id = any(${ids}) and gone_at is null`);
  await transaction.execute(sql`
    update portal_location_name as name set places_below = location.places_below
    from portal_location as location
    where location.id = name.location_id and location.places_below <> name.places_below`);
}

async function writeState(transaction: Db, { city, read, asOf }: FinishedRead): Promise<void> {
  const kind = city === undefined ? stateKind : `${stateKind}/${city}`;
  const state = { read, asOf, fullAt: asOf };
  await transaction
    .insert(syncStateTable)
    .values({ kind, ...state })
    .onConflictDoUpdate({ target: syncStateTable.kind, set: state });
}
