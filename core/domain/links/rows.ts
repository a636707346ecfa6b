/** Queries on short links. A trigger notifies the channel `link` of each change. */
import { and, asc, desc, eq, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { chunks } from '../../values/chunks.ts';
import type { LinkKind } from './link.ts';
import { linkTable as table } from './schema.ts';

/** Notification payload: the slug key of a changed link; '' for new links. */
export const linkChannel = 'link';

export type LinkRow = typeof table.$inferSelect;
export type NewLinkRow = Omit<LinkRow, 'createdAt'>;
export type Link = Omit<LinkRow, 'fingerprint' | 'slugKey'> & { shortUrl: string };

export type Destination = Pick<LinkRow, 'id' | 'target' | 'expiresAt'>;

export interface LinkFilter {
  kind: LinkKind;
  limit: number;
  /** Id of the last link of the previous page. */
  before?: string | undefined;
}

/** PostgreSQL accepts 65,535 parameters per statement. */
const rowsPerStatement = 1_000;

/** Skips rows whose slug is taken. @returns the inserted rows */
export async function insertLinks(db: NodePgDatabase, rows: readonly NewLinkRow[]): Promise<LinkRow[]> {
  const inserted: LinkRow[] = [];
  for (const some of chunks(rows, rowsPerStatement))
    inserted.push(...(await db.insert(table).values(some).onConflictDoNothing().returning()));
  return inserted;
}

/** Links that have not expired, oldest first. */
export const liveLinksWith = (db: NodePgDatabase, fingerprints: readonly string[]): Promise<LinkRow[]> =>
  db
    .select()
    .from(table)
    .where(and(isOneOf(table.fingerprint, fingerprints), isLive))
    .orderBy(asc(table.id));

export const findLink = async (db: NodePgDatabase, id: string): Promise<LinkRow | undefined> =>
  (await db.select().from(table).where(eq(table.id, id)))[0];

/** Newest first (ids sort by creation time), without child links. */
export const listLinks = (db: NodePgDatabase, { kind, limit, before }: LinkFilter): Promise<LinkRow[]> =>
  db
    .select()
    .from(table)
    .where(and(eq(table.kind, kind), isNull(table.parentId), before === undefined ? undefined : lt(table.id, before)))
    .orderBy(desc(table.id))
    .limit(limit);

/** The first `perParent` child links of each parent, oldest first; `siblings` is the parent's number of children. */
export async function childrenOf(
  db: NodePgDatabase,
  parentIds: readonly string[],
  perParent: number,
): Promise<(LinkRow & { siblings: number })[]> {
  if (parentIds.length === 0) return [];
  const ranked = db
    .select({
      id: table.id,
      place: sql<number>`row_number() over (partition by ${table.parentId} order by ${table.id})`.as('place'),
      siblings: sql<number>`(count(*) over (partition by ${table.parentId}))::int`.as('siblings'),
    })
    .from(table)
    .where(isOneOf(table.parentId, parentIds))
    .as('ranked');
  const rows = await db
    .select({ link: table, siblings: ranked.siblings })
    .from(table)
    .innerJoin(ranked, eq(ranked.id, table.id))
    .where(sql`${ranked.place} <= ${perParent}`)
    .orderBy(asc(table.id));
  return rows.map(({ link, siblings }) => ({ ...link, siblings }));
}

/** By slug key; an unknown slug has no entry. */
export async function destinationsOf(
  db: NodePgDatabase,
  slugKeys: readonly string[],
): Promise<Map<string, Destination>> {
  const rows = await db.select(destinationColumns).from(table).where(isOneOf(table.slugKey, slugKeys));
  return new Map(rows.map(({ slugKey, ...destination }) => [slugKey, destination]));
}

/** Pages of the newest links that have not expired. */
export async function* newestDestinations(
  db: NodePgDatabase,
  max: number,
): AsyncGenerator<(Destination & { slugKey: string })[]> {
  let before: string | undefined;
  for (let left = max; left > 0; left -= destinationsPerPage) {
    const page = await db
      .select(destinationColumns)
      .from(table)
      .where(and(isLive, before === undefined ? undefined : lt(table.id, before)))
      .orderBy(desc(table.id))
      .limit(Math.min(left, destinationsPerPage));
    if (page.length > 0) yield page;
    if (page.length < destinationsPerPage) return;
    before = page.at(-1)?.id;
  }
}

const destinationsPerPage = 10_000;
const destinationColumns = {
  slugKey: table.slugKey,
  id: table.id,
  target: table.target,
  expiresAt: table.expiresAt,
};

const isLive = or(isNull(table.expiresAt), gt(table.expiresAt, sql`now()`));

/** `= any(array)`: one parameter for any number of values. */
const isOneOf = (
  column: typeof table.fingerprint | typeof table.slugKey | typeof table.parentId | typeof table.id,
  values: readonly string[],
): SQL => sql`${column} = any(${sql.param([...values])})`;

/** The ids of possible parents: campaigns and projects that are not child links themselves. */
export async function parentsAmong(db: NodePgDatabase, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(isOneOf(table.id, ids), inArray(table.kind, ['campaign', 'project']), isNull(table.parentId)));
  return new Set(rows.map(({ id }) => id));
}

/** Serialises find-or-create until the end of the transaction, so that two of them do not create equal links. */
export async function lockEqualLinks(transaction: NodePgDatabase): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtext('equal links'))`);
}
