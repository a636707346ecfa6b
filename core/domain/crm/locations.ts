/** The mirror of the CRM's locations: a tree with one query each for ancestors, descendants and paths. */
import { asc, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Crm } from '../../integrations/crm/system.ts';
import type { Database, Db } from '../../postgres/client.ts';
import { type MirrorOptions, type MirrorUpdate, updateMirror } from '../../sync/mirror.ts';
import { createMirrorTable } from '../../sync/mirror-table.ts';
import { mirrorLimits } from '../../sync/plan-guard.ts';
import type { UnreadableRow } from '../../sync/schema.ts';
import { createSyncStates } from '../../sync/states.ts';
import { chunks } from '../../values/chunks.ts';
import { crmLocationTable as table } from './schema.ts';

const { path, ...columns } = getTableColumns(table);

/** The title without the parent's, because a name may contain commas; else the first part of the title. */
const name = sql<string>`coalesce((
  select left(crm_location.title, -length(parent.title) - 2) from crm_location as parent
  where parent.id = crm_location.parent_id and length(crm_location.title) > length(parent.title) + 2
    and right(crm_location.title, length(parent.title) + 2) = ', ' || parent.title
), crm_location.name)`;

/** `title`: own name first, then the ancestors, such as `Dubai Marina, Dubai`. */
export type MirroredLocation = Omit<typeof table.$inferSelect, 'path'>;

export interface CrmLocationRow extends MirroredLocation {
  /** Ids from the root down to itself; a location that no root leads to is a root. */
  path: number[];
}

/** What a match with the listing portal's locations needs. */
export type CrmSide = Pick<MirroredLocation, 'id' | 'title' | 'portalId'>;

export type LineageStep = Pick<MirroredLocation, 'id' | 'name' | 'type'>;

const depth = sql`nlevel(${path})`;

export function createCrmLocations(database: Database) {
  const mirror = createMirrorTable<MirroredLocation>(database, {
    table,
    columns,
    nameOf: row => sql.raw(`${row}.title`),
    computed: { path: sql`text2ltree(given.id::text)` },
    recompute: updatePaths,
  });

  const rows = async (condition?: SQL): Promise<CrmLocationRow[]> => {
    const found = await database
      .select({ ...columns, name, path })
      .from(table)
      .where(condition)
      .orderBy(depth, asc(table.id));
    return found.map(row => ({ ...row, path: row.path.split('.').map(Number) }));
  };

  return {
    mirror,
    /** Parents before children. */
    all: () => rows(),

    count: () => database.$count(table),

    /** All locations, in any order. */
    sides: (): Promise<CrmSide[]> =>
      database.select({ id: table.id, title: table.title, portalId: table.portalId }).from(table),

    get: async (id: number) => (await rows(sql`${table.id} = ${id}`))[0],

    /** From the root down to the location itself; empty if the location does not exist. */
    lineage: (id: number): Promise<LineageStep[]> =>
      database
        .select({ id: table.id, name, type: table.type })
        .from(table)
        .where(sql`${table.path} @> (select path from ${table} as self where self.id = ${id})`)
        .orderBy(depth),

    /** Parents before children. */
    descendants: (id: number) =>
      rows(sql`${table.path} <@ (select path from ${table} as self where self.id = ${id}) and ${table.id} <> ${id}`),

    /** Locations with a parent id that leads to no root: the parent is missing, or the ancestors form a cycle. */
    async withoutParent(): Promise<{ id: number; parentId: number }[]> {
      const found = await rows(sql`${table.parentId} is not null and ${depth} = 1`);
      return found.flatMap(({ id, parentId }) => (parentId === null ? [] : [{ id, parentId }]));
    },

    /** Inserts or updates rows, such as those just added to the CRM. */
    async put(locations: readonly MirroredLocation[]): Promise<void> {
      if (locations.length > 0) await mirror.merge(locations);
    },
  };
}

export interface CrmRead {
  rows: CrmSide[];
  unreadable: UnreadableRow[];
}

/** Reads all locations from the CRM, past the mirror. */
export async function readCrmLocations(crm: Crm): Promise<CrmRead> {
  const read: CrmRead = { rows: [], unreadable: [] };
  for await (const { rows, unreadable } of crm.locations.read()) {
    for (const { id, title, portalId } of rows) read.rows.push({ id, title, portalId });
    read.unreadable.push(...unreadable);
  }
  return read;
}

/** @param options a read that is not `full` does not see deleted locations */
export function mirrorCrmLocations(
  { crm, database }: { crm: Crm; database: Database },
  options: MirrorOptions,
): Promise<MirrorUpdate> {
  const table = createCrmLocations(database).mirror;
  const source = { kind: 'crm-locations', title: 'The CRM’s locations', table, read: crm.locations.read };
  // A new CRM has no locations yet: with nothing to lose, its first read is applied.
  const limits = { ...mirrorLimits, mayBeginEmpty: true };
  return updateMirror(source, createSyncStates(database), { ...options, limits });
}

const PathChange = z.object({ id: z.int(), path: z.string() });
const pathsPerUpdate = 1_000;

/**
 * Finds the rows whose path does not follow their parent's, and writes the paths of these and of all rows below them. A row
 * that no root leads to becomes a root.
 * @param ids written rows: only they and the rows directly below them are searched
 */
async function updatePaths(db: Db, ids?: readonly number[]): Promise<void> {
  const written = sql`${sql.param(ids && [...ids])}::int[]`;
  const searched = ids ? sql`self.id = any(${written}) or self.parent_id = any(${written})` : sql`true`;
  // No root leads to a row whose path starts below an existing one. \`offset 0\`: looked up by id, never by reading all rows.
  const parentOf = (row: string) => sql`
    lateral (
      select path, nlevel(path) = 1 and exists (select from crm_location as root where root.id = parent.parent_id) as is_stuck
      from crm_location as parent where parent.id = ${sql.raw(row)}.parent_id offset 0
    ) as parent on true`;
  const { rows } = await db.execute(sql`
    with recursive touched as (
      select self.id, self.parent_id, self.path from crm_location as self left join ${parentOf('self')}
      where (${searched}) and self.path <> coalesce(parent.path || self.id::text, text2ltree(self.id::text))
      union
      select child.* from touched,
        lateral (select id, parent_id, path from crm_location where parent_id = touched.id offset 0) as child
    ), tree as (
      select touched.id, coalesce(parent.path || touched.id::text, text2ltree(touched.id::text)) as path
      from touched left join ${parentOf('touched')}
      where not exists (select from touched as above where above.id = touched.parent_id) and parent.is_stuck is not true
      union all
      select touched.id, tree.path || touched.id::text from touched join tree on touched.parent_id = tree.id
    ), changed as (
      select touched.id, touched.path as old, coalesce(tree.path, text2ltree(touched.id::text)) as path
      from touched left join tree on tree.id = touched.id
    )
    select id, path from changed where path <> old`);
  for (const some of chunks(z.array(PathChange).parse(rows), pathsPerUpdate))
    await db.execute(sql`
      update crm_location as location set path = text2ltree(changed.path)
      from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as changed (id int, path text)
      where location.id = changed.id`);
}
