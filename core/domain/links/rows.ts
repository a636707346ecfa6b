/** The rows of short links. Each change is announced on the channel `link` by a trigger. */
import { and, asc, desc, eq, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { LinkKind } from './link.ts';
import { linkTable as table } from './schema.ts';

/** The channel on which links that changed are announced, by the keys of their slugs; '' for new ones. */
export const linkChannel = 'link';

export type LinkRow = typeof table.$inferSelect;
export type NewLinkRow = Omit<LinkRow, 'createdAt'>;

/** All that a redirect needs. */
export interface Destination {
  id: string;
  target: string;
  expiresAt: Date | null;
}

export interface LinkFilter {
  kind: LinkKind;
  limit: number;
  /** The id of the last one of the page before. */
  before?: string | undefined;
}

/** PostgreSQL takes 65,535 parameters in one statement. */
const rowsAStatement = 1_000;

/**
 * Rows whose slug is taken are left out.
 * @returns those that were inserted
 */
export async function insertLinks(db: NodePgDatabase, rows: readonly NewLinkRow[]): Promise<LinkRow[]> {
  const inserted: LinkRow[] = [];
  for (let from = 0; from < rows.length; from += rowsAStatement) {
    const some = rows.slice(from, from + rowsAStatement);
    inserted.push(...(await db.insert(table).values(some).onConflictDoNothing().returning()));
  }
  return inserted;
}

/** Links that are still good, the oldest first. */
export const liveLinksWith = (db: NodePgDatabase, fingerprints: readonly string[]): Promise<LinkRow[]> =>
  db
    .select()
    .from(table)
    .where(and(isOneOf(table.fingerprint, fingerprints), isLive))
    .orderBy(asc(table.id));

export async function findLink(db: NodePgDatabase, id: string): Promise<LinkRow | undefined> {
  const [row] = await db.select().from(table).where(eq(table.id, id));
  return row;
}

/** Newest first (ids are in the order of creation); without those that belong to another link, which shows them. */
export const listLinks = (db: NodePgDatabase, { kind, limit, before }: LinkFilter): Promise<LinkRow[]> =>
  db
    .select()
    .from(table)
    .where(
      and(
        eq(table.kind, kind),
        isNull(table.parentId),
        before === undefined ? undefined : lt(table.id, before),
      ),
    )
    .orderBy(desc(table.id))
    .limit(limit);

/** The first links of each parent, oldest first, and how many each has in all. */
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

/** By the keys of slugs; a slug without a link is left out. */
export async function destinationsOf(
  db: NodePgDatabase,
  slugKeys: readonly string[],
): Promise<Map<string, Destination>> {
  const rows = await db.select(destinationColumns).from(table).where(isOneOf(table.slugKey, slugKeys));
  return new Map(rows.map(({ slugKey, ...destination }) => [slugKey, destination]));
}

/** The newest links that are still good, page by page. */
export async function* newestDestinations(
  db: NodePgDatabase,
  atMost: number,
): AsyncGenerator<(Destination & { slugKey: string })[]> {
  let before: string | undefined;
  for (let left = atMost; left > 0; left -= destinationsAPage) {
    const page = await db
      .select(destinationColumns)
      .from(table)
      .where(and(isLive, before === undefined ? undefined : lt(table.id, before)))
      .orderBy(desc(table.id))
      .limit(Math.min(left, destinationsAPage));
    if (page.length > 0) yield page;
    if (page.length < destinationsAPage) return;
    before = page.at(-1)?.id;
  }
}

const destinationsAPage = 10_000;
const destinationColumns = {
  slugKey: table.slugKey,
  id: table.id,
  target: table.target,
  expiresAt: table.expiresAt,
};

const isLive = or(isNull(table.expiresAt), gt(table.expiresAt, sql`now()`));

/** One parameter, however many values. */
const isOneOf = (
  column: typeof table.fingerprint | typeof table.slugKey | typeof table.parentId | typeof table.id,
  values: readonly string[],
): SQL => sql`${column} = any(${sql.param([...values])})`;

/** The ids among these that others can belong to: those of campaigns and projects that belong to none themselves. */
export async function parentsAmong(db: NodePgDatabase, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(isOneOf(table.id, ids), inArray(table.kind, ['campaign', 'project']), isNull(table.parentId)));
  return new Set(rows.map(({ id }) => id));
}

/** Holds until the transaction ends: of two that look for equal links at once, the second sees what the first made. */
export async function lockEqualLinks(transaction: NodePgDatabase): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtext('equal links'))`);
}
