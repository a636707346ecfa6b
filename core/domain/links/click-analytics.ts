/** Click counts: analytics of a campaign, and totals of links. Counted from the clicks when they are asked for. */
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import type { ClickRange } from './click-range.ts';
import { type ClickTotals, noClicks } from './link.ts';
import { clickTable as click, linkTable as link } from './schema.ts';

export type ClickAnalytics = Awaited<ReturnType<typeof analyseClicks>>;

/** Per dimension: callers can send any number of different referrers. */
const maxRows = 200;

const Dimension = z.enum(['day', 'referrer', 'country', 'device', 'browser', 'link', 'class']);
type Dimension = z.infer<typeof Dimension>;
/** `value` of a day: its position in the range, from 1. */
const Counts = z.array(z.object({ dimension: Dimension, value: z.string().nullable(), clicks: z.int() }));
const Visits = z.array(z.object({ firstDay: z.int(), lastDay: z.int(), people: z.int() }));

/** @param linkId a campaign; the clicks on its child links are included */
export async function analyseClicks(db: NodePgDatabase, linkId: string, range: ClickRange) {
  const family = await db
    .select({ id: link.id, kind: link.kind, name: link.name, slug: link.slug })
    .from(link)
    .where(or(eq(link.id, linkId), eq(link.parentId, linkId)));
  const clicks = clicksWithin(
    family.map(({ id }) => id),
    range,
  );
  // On two connections, because either takes some 100 ms for a large campaign.
  const [counts, visits] = await Promise.all([countClicks(db, clicks), countVisits(db, clicks)]);
  const of = (dimension: Dimension) => counts.filter(row => row.dimension === dimension);
  const sumOf = (dimension: Dimension, value: string): number =>
    of(dimension).find(row => row.value === value)?.clicks ?? 0;
  const topOf = (dimension: Dimension) => of(dimension).slice(0, maxRows);
  const clicksOf = new Map(of('link').map(({ value, clicks }) => [value, clicks]));
  return {
    /** Clicks by people, scans included. */
    total: sumOf('class', 'human') + sumOf('class', 'scan'),
    /** People, each counted once a day. */
    unique: sumPeople(visits),
    scans: sumOf('class', 'scan'),
    bots: sumOf('class', 'bot'),
    previews: sumOf('class', 'preview'),
    prefetches: sumOf('class', 'prefetch'),
    /** One entry per day, in order. */
    byDay: range.days.map((name, index) => ({
      day: name,
      clicks: sumOf('day', String(index + 1)),
      unique: sumPeople(visits.filter(({ firstDay, lastDay }) => firstDay === index + 1 || lastDay === index + 1)),
    })),
    byReferrer: topOf('referrer').map(({ value, clicks }) => ({ referrer: value, clicks })),
    byCountry: topOf('country').map(({ value, clicks }) => ({ country: value, clicks })),
    byDevice: topOf('device').map(({ value, clicks }) => ({ device: value, clicks })),
    byBrowser: topOf('browser').map(({ value, clicks }) => ({ browser: value, clicks })),
    byLink: family
      .map(one => ({ ...one, clicks: clicksOf.get(one.id) ?? 0 }))
      .sort((one, other) => other.clicks - one.clicks || one.name.localeCompare(other.name))
      .slice(0, maxRows),
  };
}

/** Totals per link. A link without clicks has no entry. */
export const clickTotals = (db: NodePgDatabase, linkIds: readonly string[]): Promise<Map<string, ClickTotals>> =>
  totalsBy(db, sql`${link.id}`, inArray(link.id, [...linkIds]));

/** Totals per link, child links included. A link without clicks has no entry. */
export const familyClickTotals = (
  db: NodePgDatabase,
  parentIds: readonly string[],
): Promise<Map<string, ClickTotals>> =>
  totalsBy(
    db,
    sql`coalesce(${link.parentId}, ${link.id})`,
    or(inArray(link.id, [...parentIds]), inArray(link.parentId, [...parentIds])),
  );

/** The clicks of a range, each with the position of its day, from 1. The boundaries of the days are computed once. */
const clicksWithin = (linkIds: readonly string[], { from, to, starts }: ClickRange): SQL => sql`
  select *, width_bucket(${click.at}, ${sql.param(starts.map(start => start.toISOString()))}::timestamptz[]) as day
  from ${click}
  where ${click.linkId} = any(${sql.param(linkIds)}::uuid[])
    and ${click.at} >= ${from.toISOString()}::timestamptz and ${click.at} < ${to.toISOString()}::timestamptz`;

const kind = sql`case when ${click.class} = 'human' and ${click.scanned} then 'scan' else ${click.class} end`;

/** Clicks by people; of the dimension `class` all clicks. All dimensions in one pass over the clicks. */
async function countClicks(db: NodePgDatabase, clicks: SQL) {
  const rows = await inMemory(
    db,
    sql`
    with click as (select *, ${kind} as kind from (${clicks}) as click), counted as (
      select
        case
          when grouping(day) = 0 then 'day'
          when grouping(referrer) = 0 then 'referrer'
          when grouping(country) = 0 then 'country'
          when grouping(device) = 0 then 'device'
          when grouping(browser) = 0 then 'browser'
          when grouping(link_id) = 0 then 'link'
          else 'class'
        end as dimension,
        coalesce(day::text, referrer, country, device, browser, link_id::text, kind) as value,
        count(*)::int as by_all,
        (count(*) filter (where class = 'human'))::int as by_people
      from click
      group by grouping sets ((day), (referrer), (country), (device), (browser), (link_id), (kind))
    )
    select dimension, value, case dimension when 'class' then by_all else by_people end as clicks
    from counted where by_people > 0 or dimension = 'class'
    order by clicks desc, value`,
  );
  return Counts.parse(rows);
}

/** People by their days: the hash of a visitor is one of a day in UTC, which is part of two days of the range at most. */
async function countVisits(db: NodePgDatabase, clicks: SQL) {
  const rows = await inMemory(
    db,
    sql`
    with visit as (
      select min(day) as first_day, max(day) as last_day from (${clicks}) as click
      where class = 'human' and visitor is not null
      group by visitor
    )
    select first_day as "firstDay", last_day as "lastDay", count(*)::int as people from visit group by 1, 2`,
  );
  return Visits.parse(rows);
}

/** Groups of a million clicks fit in memory; with the server's default PostgreSQL would sort them on disk. */
async function inMemory(db: NodePgDatabase, query: SQL) {
  return await db.transaction(async tx => {
    await tx.execute(sql`set local work_mem = '64MB'`);
    return (await tx.execute(query)).rows;
  });
}

const sumPeople = (visits: z.infer<typeof Visits>): number => visits.reduce((sum, { people }) => sum + people, 0);

async function totalsBy(db: NodePgDatabase, key: SQL, where: SQL | undefined): Promise<Map<string, ClickTotals>> {
  const rows = await db
    .select({ key: sql<string>`${key}`, kind: sql<string>`${kind}`, count: sql<number>`count(*)::int` })
    .from(click)
    .innerJoin(link, eq(link.id, click.linkId))
    .where(where)
    .groupBy(sql`1`, sql`2`);
  const totals = new Map<string, ClickTotals>();
  for (const { key: id, kind, count } of rows) {
    const of = totals.get(id) ?? { ...noClicks };
    totals.set(id, of);
    if (kind === 'human' || kind === 'scan') of.total += count;
    if (kind !== 'human') of[plural[ClickKind.parse(kind)]] += count;
  }
  return totals;
}

const ClickKind = z.enum(['scan', 'bot', 'preview', 'prefetch']);
const plural = { scan: 'scans', bot: 'bots', preview: 'previews', prefetch: 'prefetches' } as const;
