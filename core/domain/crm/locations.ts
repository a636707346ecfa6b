/** The mirror of the CRM's locations: a tree with one query each for ancestors, descendants and paths. */
import { asc, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Crm } from '../../integrations/crm/system.ts';
import type { Database, Db } from '../../postgres/client.ts';
import { type MirrorOptions, type MirrorUpdate, updateMirror } from '../../sync/mirror.ts';
import { createMirrorTable } from '../../sync/mirror-table.ts';
import { createSyncStates } from '../../sync/states.ts';
import { crmLocationTable as table } from './schema.ts';

const { path, ...columns } = getTableColumns(table);

/** `title`: own name first, then the ancestors, such as `Dubai Marina, Dubai`. */
export type MirroredLocation = Omit<typeof table.$inferSelect, 'path'>;

export interface CrmLocationRow extends MirroredLocation {
  /** Ids from the root down to itself; a location that no root leads to is a root. */
  path: number[];
}

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
    const found = await database.select().from(table).where(condition).orderBy(depth, asc(table.id));
    return found.map(row => ({ ...row, path: row.path.split('.').map(Number) }));
  };

  return {
    mirror,
    /** Parents before children. */
    all: () => rows(),
    get: async (id: number) => (await rows(sql`${table.id} = ${id}`))[0],

    /** From the root down to the location itself; empty if the location does not exist. */
    lineage: (id: number): Promise<LineageStep[]> =>
      database
        .select({ id: table.id, name: table.name, type: table.type })
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

/** Reads all locations from the CRM, past the mirror. */
export async function readCrmLocations(crm: Crm): Promise<MirroredLocation[]> {
  const rows: MirroredLocation[] = [];
  for await (const page of crm.locations.read()) rows.push(...page.rows);
  return rows;
}

/** @param options a read that is not `full` does not see deleted locations */
export function mirrorCrmLocations(
  { crm, database }: { crm: Crm; database: Database },
  options: MirrorOptions,
): Promise<MirrorUpdate> {
  const table = createCrmLocations(database).mirror;
  const source = { kind: 'crm-locations', title: 'The CRM’s locations', table, read: crm.locations.read };
  return updateMirror(source, createSyncStates(database), options);
}

/** Writes only rows whose path has changed. A row that no root leads to becomes a root. */
async function updatePaths(db: Db): Promise<void> {
  await db.execute(sql`
    with recursive tree as (
      select id, text2ltree(id::text) as path from crm_location as root
      where parent_id is null or not exists (select from crm_location as parent where parent.id = root.parent_id)
      union all
      select child.id, tree.path || child.id::text from crm_location as child join tree on child.parent_id = tree.id
    )
    update crm_location as location set path = coalesce(tree.path, text2ltree(location.id::text))
    from crm_location as self left join tree on tree.id = self.id
    where self.id = location.id and location.path <> coalesce(tree.path, text2ltree(location.id::text))`);
}
