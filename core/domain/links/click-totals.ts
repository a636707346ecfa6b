/** How often links were opened, by whom. */
import { inArray, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { type ClickTotals, noClicks } from './click.ts';
import { clickTable as click } from './click-schema.ts';
import { linkTable as link } from './schema.ts';

/** A link that was never opened has no entry. */
export async function clickTotals(
  db: NodePgDatabase,
  linkIds: readonly string[],
): Promise<Map<string, ClickTotals>> {
  return totalsBy(db, sql`counted.link_id`, sql`${click.linkId} = any(${sql.param([...linkIds])})`);
}

/** Of each link together with those that belong to it. */
export async function familyClickTotals(
  db: NodePgDatabase,
  parentIds: readonly string[],
): Promise<Map<string, ClickTotals>> {
  if (parentIds.length === 0) return new Map();
  const family = db
    .select({ id: link.id })
    .from(link)
    .where(or(inArray(link.id, [...parentIds]), inArray(link.parentId, [...parentIds])));
  const parent = sql`(select coalesce(${link.parentId}, ${link.id}) from ${link} where ${link.id} = counted.link_id)`;
  return totalsBy(db, parent, sql`${click.linkId} in (${family})`);
}

/** The clicks are counted by link first, from the index alone; `key` is asked for once a link. */
async function totalsBy(db: NodePgDatabase, key: SQL, where: SQL): Promise<Map<string, ClickTotals>> {
  const counted = db
    .select({
      linkId: click.linkId,
      class: click.class,
      scanned: click.scanned,
      count: sql<number>`count(*)::int`.as('count'),
    })
    .from(click)
    .where(where)
    .groupBy(click.linkId, click.class, click.scanned)
    .as('counted');
  const rows = await db
    .select({
      key: sql<string>`${key}`,
      class: counted.class,
      scanned: counted.scanned,
      count: counted.count,
    })
    .from(counted);
  const totals = new Map<string, ClickTotals>();
  for (const { key: id, class: kind, scanned, count } of rows) {
    const of = totals.get(id) ?? { ...noClicks };
    totals.set(id, of);
    if (kind !== 'human') of[plural[kind]] += count;
    else {
      of.total += count;
      if (scanned) of.scans += count;
    }
  }
  return totals;
}

const plural = { bot: 'bots', preview: 'previews', prefetch: 'prefetches' } as const;
