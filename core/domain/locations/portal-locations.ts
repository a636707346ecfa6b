/** The mirror of the listing portal's locations. Each change is one transaction, so readers never see a partial state. */
import { and, eq, getTableColumns, gt, isNull, like, or, type SQL, sql } from 'drizzle-orm';
import type { Location, Place } from '../../integrations/listing-portal/location.ts';
import { nameVariants, transliterate } from '../../integrations/listing-portal/names.ts';
import type { Database, Db } from '../../postgres/client.ts';
import { syncStateTable } from '../../sync/schema.ts';
import { createSyncStates } from '../../sync/states.ts';
import { chunks } from '../../values/chunks.ts';
import { portalLocationTable as table } from './schema.ts';

export interface KnownLocation extends Location {
  /** True once the portal no longer has it. */
  gone: boolean;
}

interface LocationChanges {
  /** New and changed locations; read once. */
  put: Iterable<Location>;
  /** Ids of locations that the portal no longer has. */
  gone: readonly number[];
}

/** A completed read of the portal. */
interface FinishedRead {
  /** Undefined: all cities. */
  city: string | undefined;
  read: number;
  /** When the read started. */
  asOf: Date;
}

export type PortalLocations = ReturnType<typeof createPortalLocations>;

const stateKind = 'listing-portal-locations';
const rowsAtOnce = 1_000;

export function createPortalLocations(database: Database) {
  return {
    /** Ids of all locations ever seen, also gone ones; only those of `city` (English name) when given. */
    ids: (city?: string): Promise<number[]> => idsWhere(database, inCity(city)),

    /** Without gone ones. */
    presentIds: (city?: string): Promise<number[]> => idsWhere(database, and(isNull(table.goneAt), inCity(city))),

    /** Names of the places that contain others. */
    async parentNames(city?: string): Promise<string[]> {
      const inner = and(gt(table.placesBelow, 0), isNull(table.goneAt), inCity(city));
      return (await database.selectDistinct({ name: table.name }).from(table).where(inner)).map(({ name }) => name);
    },

    /** Leaves out ids that the portal does not have. */
    some: async (ids: readonly number[]): Promise<Location[]> =>
      (await knownLocations(database, ids)).flatMap(({ gone, ...location }) => (gone ? [] : location)),

    /** Also those that the portal no longer has. */
    known: (ids: readonly number[]): Promise<KnownLocation[]> => knownLocations(database, ids),

    /** Start of the last complete read, or else of the last read of one city; undefined: never read. */
    async asOf(): Promise<Date | undefined> {
      const states = await database
        .select()
        .from(syncStateTable)
        .where(or(eq(syncStateTable.kind, stateKind), like(syncStateTable.kind, `${stateKind}/%`)));
      const whole = states.find(({ kind }) => kind === stateKind);
      const times = (whole ? [whole] : states).map(({ asOf }) => asOf.getTime());
      return times.length === 0 ? undefined : new Date(Math.max(...times));
    },

    /** @param lastStep runs last in the transaction; its failure rolls the changes back */
    async change(
      changes: LocationChanges,
      { city, read, asOf }: FinishedRead,
      lastStep: (db: Db) => Promise<void> = async () => {},
    ): Promise<void> {
      let isLarge = false;
      await database.transaction(async transaction => {
        // Serializes concurrent changes: their row locks could deadlock.
        await transaction.execute(sql`select pg_advisory_xact_lock(hashtext(${stateKind}))`);
        const changed = [...changes.gone];
        for (const some of chunks(changes.put, rowsAtOnce)) {
          await putRows(transaction, some);
          for (const { id } of some) changed.push(id);
        }
        await markGone(transaction, changes.gone);
        isLarge = changed.length > rowsAtOnce;
        if (changed.length > 0) await updateSearchIndex(transaction, changed);
        const kind = city === undefined ? stateKind : `${stateKind}/${city}`;
        await createSyncStates(database).write(kind, { read, asOf, fullAt: asOf }, transaction);
        await lastStep(transaction);
      });
      // Without fresh statistics the planner picks slow plans for the first searches after a large change.
      if (isLarge) await database.execute(sql`analyze portal_location, portal_location_name`);
    },
  };
}

function inCity(city: string | undefined): SQL | undefined {
  const roots = sql`array(select path from ${table} where nlevel(path) = 1 and name = ${city})`;
  return city === undefined ? undefined : sql`${table.path} <@ ${roots}`;
}

const idsWhere = async (database: Database, condition: SQL | undefined): Promise<number[]> =>
  (await database.select({ id: table.id }).from(table).where(condition)).map(({ id }) => id);

function rowOf({ id, type, name, nameAr, places, coordinates }: Location): typeof table.$inferInsert {
  return {
    id,
    type,
    name,
    nameAr,
    path: places.map(place => place.id).join('.'),
    latitude: coordinates?.lat ?? null,
    longitude: coordinates?.lng ?? null,
    callNames: namesOf(name, nameAr),
    soughtName: searchText([{ name, nameAr }]),
    soughtPath: searchText([...places].reverse()),
    goneAt: null,
  };
}

/** Search text with `|` between names and spaces between words: `| marina gate 1 | mg1 | maryna jyt 1 |`. */
function searchText(places: readonly { name: string; nameAr: string | null }[]): string {
  const names = places.flatMap(({ name, nameAr }) => namesOf(name, nameAr).map(transliterate));
  return `| ${[...new Set(names)].join(' | ')} |`;
}

const namesOf = (name: string, nameAr: string | null): string[] => [
  ...new Set([...nameVariants(name), ...nameVariants(nameAr ?? '')]),
];

const columns = [
  'type',
  'name',
  'nameAr',
  'path',
  'latitude',
  'longitude',
  'callNames',
  'soughtName',
  'soughtPath',
  'goneAt',
] as const;

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

/** Updates `places_below` of all locations, and rebuilds the search phrases of the changed ones. */
async function updateSearchIndex(transaction: Db, changed: readonly number[]): Promise<void> {
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

/** In any order. */
async function knownLocations(database: Database, ids: readonly number[]): Promise<KnownLocation[]> {
  const { callNames: _names, soughtName: _name, soughtPath: _path, ...columns } = getTableColumns(table);
  const rows = await database
    .select(columns)
    .from(table)
    .where(
      sql`${table.id} = any(array(
        select unnest(string_to_array(path::text, '.')::int[]) from ${table}
        where id = any(${sql.param([...ids])}::int[])))`,
    );
  const meant = new Set(ids);
  const places = new Map(rows.map(({ id, type, name, nameAr }): [number, Place] => [id, { id, type, name, nameAr }]));
  return rows
    .filter(({ id }) => meant.has(id))
    .map(({ id, type, name, nameAr, path, latitude, longitude, goneAt }) => ({
      id,
      type,
      name,
      nameAr,
      places: path.split('.').flatMap(above => places.get(Number(above)) ?? []),
      coordinates: latitude === null || longitude === null ? null : { lat: latitude, lng: longitude },
      gone: goneAt !== null,
    }));
}
