/** Click counts: analytics of a campaign, and totals of links. */
import { and, between, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';
import { addDays, dubaiDay } from '../../values/dubai-time.ts';
import type { ClickRange } from './click-range.ts';
import { type ClickTotals, noClicks } from './link.ts';
import { clickTable as click, clickDayTable as day, linkTable as link } from './schema.ts';

export type ClickAnalytics = Awaited<ReturnType<typeof analyseClicks>>;

/** Per dimension: callers can send any number of different referrers. */
const maxRows = 200;

const Dimension = z.enum(['day', 'referrer', 'country', 'device', 'browser', 'link', 'class']);
type Dimension = z.infer<typeof Dimension>;
const Row = z.object({ dimension: Dimension, value: z.string().nullable(), clicks: z.int() });
const UniqueRow = z.object({ day: z.int().nullable(), people: z.int() });

/** @param linkId a campaign; the clicks on its child links are included */
export async function analyseClicks(db: NodePgDatabase, linkId: string, range: ClickRange) {
  const family = await db
    .select({ id: link.id, kind: link.kind, name: link.name, slug: link.slug })
    .from(link)
    .where(or(eq(link.id, linkId), eq(link.parentId, linkId)));
  const days = dubaiDaysOf(range);
  const linkIds = family.map(({ id }) => id);
  const { rows, people } = await (days ? readDays(db, linkId, days) : countClicksOf(db, linkIds, range));
  const of = (dimension: Dimension) => rows.filter(row => row.dimension === dimension);
  const sumOf = (dimension: Dimension, value: string): number =>
    of(dimension).find(row => row.value === value)?.clicks ?? 0;
  const topOf = (dimension: Dimension) => of(dimension).slice(0, maxRows);
  const clicksOf = new Map(of('link').map(({ value, clicks }) => [value, clicks]));
  return {
    /** Clicks by people, scans included. */
    total: sumOf('class', 'human') + sumOf('class', 'scan'),
    /** People, each counted once a day. */
    unique: people.find(row => row.day === null)?.people ?? 0,
    scans: sumOf('class', 'scan'),
    bots: sumOf('class', 'bot'),
    previews: sumOf('class', 'preview'),
    prefetches: sumOf('class', 'prefetch'),
    /** One entry per day, in order. */
    byDay: range.days.map((name, index) => ({
      day: name,
      clicks: sumOf('day', String(index + 1)),
      unique: people.find(row => row.day === index + 1)?.people ?? 0,
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
  totalsBy(db, sql`${day.linkId}`, sql`${day.linkId} = any(${sql.param([...linkIds])})`);

/** Totals per link, child links included. A link without clicks has no entry. */
export const familyClickTotals = async (
  db: NodePgDatabase,
  parentIds: readonly string[],
): Promise<Map<string, ClickTotals>> =>
  totalsBy(
    db,
    sql`coalesce(${link.parentId}, ${link.id})`,
    or(inArray(link.id, [...parentIds]), inArray(link.parentId, [...parentIds])),
  );

/** The days of a range of whole days in Dubai; undefined for other ranges, whose clicks are counted one by one. */
function dubaiDaysOf({ days, starts, to }: ClickRange): readonly string[] | undefined {
  const begins = days.map(name => dubaiDay(name).from.getTime());
  const isWhole = to.getTime() === dubaiDay(days.at(-1) ?? '').to.getTime();
  return isWhole && starts.every((start, index) => start.getTime() === begins[index]) ? days : undefined;
}

/** The counts of the days and of whole months, which a trigger keeps. */
async function readDays(db: NodePgDatabase, linkId: string, days: readonly string[]) {
  const of = and(eq(day.linkId, linkId), between(day.day, days[0] ?? '', days.at(-1) ?? ''));
  const months = wholeMonths(days);
  const within = and(gte(day.day, months.from), lt(day.day, months.to));
  const clicks = sql<number>`sum(${day.clicks})::int`;
  const dimension = sql<string>`replace(${day.dimension}, 'month ', '')`;
  const summed = Dimension.options.filter(name => name !== 'day');
  const dimensions = await db
    .select({ dimension, value: sql<string | null>`nullif(${day.value}, '')`, clicks })
    .from(day)
    .where(
      and(
        of,
        or(
          and(
            inArray(
              day.dimension,
              summed.map(name => `month ${name}`),
            ),
            within,
          ),
          and(inArray(day.dimension, summed), or(lt(day.day, months.from), gte(day.day, months.to))),
        ),
      ),
    )
    .groupBy(dimension, day.value)
    .orderBy(desc(clicks), day.value);
  const byDay = await db
    .select()
    .from(day)
    .where(and(of, eq(day.dimension, 'day')))
    .orderBy(day.day);
  const indexOf = (name: string) => days.indexOf(name) + 1;
  return {
    rows: z
      .array(Row)
      .parse([
        ...dimensions,
        ...byDay.map(row => ({ dimension: 'day', value: String(indexOf(row.day)), clicks: row.clicks })),
      ]),
    people: [
      ...byDay.map(row => ({ day: indexOf(row.day), people: row.people })),
      // A visitor of the day before the range counts as new within it.
      { day: null, people: byDay.reduce((sum, row) => sum + row.people - (row.day === days[0] ? 0 : row.again), 0) },
    ],
  };
}

/** From the first day of the first whole month to the day after the last one; equal without a whole month. */
function wholeMonths(days: readonly string[]): { from: string; to: string } {
  const starts = [...days, addDays(days.at(-1) ?? '', 1)].filter(name => name.endsWith('-01'));
  const [from = days[0] ?? ''] = starts;
  return { from, to: starts.at(-1) ?? from };
}

async function countClicksOf(db: NodePgDatabase, linkIds: readonly string[], range: ClickRange) {
  const within = sql`
    ${click.linkId} = any(${sql.param(linkIds)}::uuid[])
    and ${click.at} >= ${range.from.toISOString()}::timestamptz and ${click.at} < ${range.to.toISOString()}::timestamptz`;
  // 1-based index of the day in the range; the boundaries are computed once, not per click.
  const day = sql`width_bucket(${click.at}, ${sql.param(range.starts.map(start => start.toISOString()))}::timestamptz[])`;
  return await db.transaction(async tx => {
    // Groups of a million clicks fit in memory; with the server's default they would spill to disk.
    await tx.execute(sql`set local work_mem = '64MB'`);
    const counts = await tx.execute(countsBy(within, day));
    const visitors = await tx.execute(uniqueBy(within, day));
    return { rows: z.array(Row).parse(counts.rows), people: z.array(UniqueRow).parse(visitors.rows) };
  });
}

/** All groupings in one pass over the clicks. */
const countsBy = (within: SQL, day: SQL): SQL => sql`
  with clicks as (
    select ${click.linkId} as link, ${day} as day, ${click.referrer} as referrer, ${click.country} as country,
      ${click.device} as device, ${click.browser} as browser,
      case when ${click.scanned} and ${click.class} = 'human' then 'scan' else ${click.class} end as class,
      ${click.class} = 'human' as is_human
    from ${click} where ${within}
  ), counted as (
    select grouping(day, referrer, country, device, browser, link, class) as of,
      coalesce(day::text, referrer, country, device, browser, link::text, class) as value,
      count(*) filter (where is_human)::int as by_people, count(*)::int as by_all
    from clicks
    group by grouping sets ((day), (referrer), (country), (device), (browser), (link), (class))
  )
  select case of when 63 then 'day' when 95 then 'referrer' when 111 then 'country' when 119 then 'device'
      when 123 then 'browser' when 125 then 'link' else 'class' end as dimension,
    value, case of when 126 then by_all else by_people end as clicks
  from counted where by_people > 0 or of = 126
  order by clicks desc, value`;

const uniqueBy = (within: SQL, day: SQL): SQL => sql`
  with visits as (
    select ${day} as day, ${click.visitor} as visitor from ${click}
    where ${within} and ${click.class} = 'human' and ${click.visitor} is not null
    group by 1, 2
  )
  select day, count(*)::int as people from visits group by day
  union all
  select null, count(*)::int from (select visitor from visits group by visitor) as visitors`;

async function totalsBy(db: NodePgDatabase, key: SQL, where: SQL | undefined): Promise<Map<string, ClickTotals>> {
  const rows = await db
    .select({ key: sql<string>`${key}`, kind: day.value, count: day.clicks })
    .from(day)
    .leftJoin(link, eq(link.id, day.linkId))
    .where(and(eq(day.dimension, 'total'), where));
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
