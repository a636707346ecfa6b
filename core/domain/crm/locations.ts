/** The local copy of the CRM's locations: a tree whose ancestors, descendants and paths are one query each. */
import { asc, type SQL, sql } from 'drizzle-orm';
import type { CrmLocationType } from '../../integrations/crm/types.ts';
import type { Database } from '../../postgres/client.ts';
import type { Db } from '../../postgres/session.ts';
import { type CopiedTable, createCopiedTable } from '../../sync/mirror-table.ts';
import { crmLocationTable as table } from './schema.ts';

/** What is copied of a location. */
export interface CopiedLocation {
  id: number;
  parentId: number | null;
  type: CrmLocationType;
  name: string;
  /** Itself first, then what it lies in. */
  title: string;
  portalId: string | null;
  modifiedAt: Date;
}

export interface CrmLocationRow extends CopiedLocation {
  /** Ids from the root down to itself. One whose parent the CRM does not have, or that lies in itself, is a root. */
  path: number[];
}

/** A step of the way from the root to a location. */
export interface LineageStep {
  id: number;
  name: string;
  type: CrmLocationType;
}

export interface CrmLocations {
  copy: CopiedTable<CopiedLocation>;
  /** Parents before what lies in them. */
  all(): Promise<CrmLocationRow[]>;
  get(id: number): Promise<CrmLocationRow | undefined>;
  byPortalId(portalId: string): Promise<CrmLocationRow[]>;
  /** From the root down to the location itself; empty when there is none. */
  lineage(id: number): Promise<LineageStep[]>;
  /** All below it, parents first. */
  descendants(id: number): Promise<CrmLocationRow[]>;
  /** Those that name a parent which the CRM does not have, or that lie in themselves. */
  withoutParent(): Promise<{ id: number; parentId: number }[]>;
  /** Adds or changes some, such as those just added to the CRM. */
  put(locations: readonly CopiedLocation[]): Promise<void>;
}

const columns = {
  id: table.id,
  parentId: table.parentId,
  type: table.type,
  name: table.name,
  title: table.title,
  portalId: table.portalId,
  modifiedAt: table.modifiedAt,
};
const depth = sql`nlevel(${table.path})`;

export function createCrmLocations(database: Database): CrmLocations {
  const copy = createCopiedTable<CopiedLocation>(database, {
    table,
    columns,
    made: { path: sql`text2ltree(given.id::text)` },
    settle: makePaths,
  });

  const rows = async (condition?: SQL): Promise<CrmLocationRow[]> => {
    const found = await database.select().from(table).where(condition).orderBy(depth, asc(table.id));
    return found.map(row => ({ ...row, path: row.path.split('.').map(Number) }));
  };

  return {
    copy,
    all: () => rows(),
    get: async id => (await rows(sql`${table.id} = ${id}`))[0],
    byPortalId: portalId => rows(sql`${table.portalId} = ${portalId}`),

    lineage: id =>
      database
        .select({ id: table.id, name: table.name, type: table.type })
        .from(table)
        .where(sql`${table.path} @> (select path from ${table} as self where self.id = ${id})`)
        .orderBy(depth),

    descendants: id =>
      rows(
        sql`${table.path} <@ (select path from ${table} as self where self.id = ${id}) and ${table.id} <> ${id}`,
      ),

    async withoutParent() {
      const found = await database
        .select({ id: table.id, parentId: table.parentId })
        .from(table)
        .where(sql`${table.parentId} is not null and ${depth} = 1`)
        .orderBy(asc(table.id));
      return found.flatMap(({ id, parentId }) => (parentId === null ? [] : [{ id, parentId }]));
    },

    async put(locations) {
      if (locations.length > 0) await copy.merge(locations);
    },
  };
}

/** Only rows whose path has changed are written. Rows that no root leads to lie in themselves. */
async function makePaths(db: Db): Promise<void> {
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
