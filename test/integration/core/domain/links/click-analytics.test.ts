/** Analytics from the daily counts give the same numbers as the clicks themselves. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyseClicks } from '../../../../../core/domain/links/click-analytics.ts';
import { dropClickMonths, makeClickMonth } from '../../../../../core/domain/links/click-months.ts';
import { clickRange } from '../../../../../core/domain/links/click-range.ts';
import { createLinks } from '../../../../../core/domain/links/links.ts';
import { clickTable } from '../../../../../core/domain/links/schema.ts';
import type { Database } from '../../../../../core/postgres/client.ts';
import { withConnection } from '../../../../../core/postgres/connection.ts';
import { migrateDatabase, migrationsOf, readApplied } from '../../../../../core/postgres/migrate.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { openTestDatabase } from '../../../../support/test-database.ts';

type ClickRow = typeof clickTable.$inferInsert;

let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase('click-analytics'));
});
afterAll(() => close?.());

async function campaignWithChild() {
  const links = createLinks(database, 'https://portal.example');
  const draft = { kind: 'campaign', name: 'c', url: 'https://example.com/', clientId: 'portal' } as const;
  const [parent] = await links.create([draft]);
  const [child] = await links.create([{ ...draft, parentId: parent?.link.id }]);
  if (!parent || !child) throw new Error('a link is missing');
  return { links, parentId: parent.link.id, childId: child.link.id };
}

const first = Date.parse('2026-03-01T20:00:00Z');
const hour = 3_600_000;
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** Deterministic clicks over some days in Dubai; a visitor's hash is one of a day in UTC. */
function clicksOn(linkIds: readonly string[], days = 5): ClickRow[] {
  return Array.from({ length: 400 }, (_, index) => {
    const at = new Date(first + ((index * 7_919) % (days * 24 * 60)) * 60_000);
    // Six characters, of which the hash is made: month, day, person.
    const person = `${at.toISOString().slice(5, 10).replace('-', '')}${10 + ((index * 31) % 17)}`;
    return {
      linkId: pick(linkIds, index),
      at,
      class: pick(['human', 'human', 'human', 'bot', 'preview', 'prefetch'] as const, index * 5 + 1),
      scanned: index % 4 === 0,
      visitor: index % 11 === 0 ? null : `00000000-0000-4000-8000-${Buffer.from(person).toString('hex')}`,
      country: pick(['AE', 'IN', null], index),
      referrer: pick([null, 'instagram.com', 'google.com', 't.co'], index),
      device: pick(['mobile', 'desktop', null] as const, index * 3),
      browser: pick(['Safari', 'Chrome'], index),
    };
  });
}

const countBy = (clicks: readonly ClickRow[], key: (click: ClickRow) => unknown) => {
  const counts = new Map<unknown, number>();
  for (const click of clicks) counts.set(key(click), (counts.get(key(click)) ?? 0) + 1);
  return counts;
};
const visitorsOf = (clicks: readonly ClickRow[]) => new Set(clicks.flatMap(({ visitor }) => visitor ?? [])).size;
const dayOf = ({ at }: ClickRow) => new Date(at.getTime() + 4 * hour).toISOString().slice(0, 10);

describe('the analytics of a campaign', () => {
  it.each([
    ['2026-03-02', '2026-03-06'],
    ['2026-03-03', '2026-03-04'],
    ['2026-03-05', '2026-03-05'],
    ['2026-03-01', '2026-03-31', 100],
    ['2026-03-30', '2026-06-02', 100],
    ['2026-02-01', '2026-05-31', 100],
    ['2026-04-02', '2026-05-30', 100],
  ])('from %s to %s equal its clicks, in whatever batches and order they were counted', async (from, to, days = 5) => {
    const { parentId, childId } = await campaignWithChild();
    const all = clicksOn([parentId, childId], days);
    // Small batches, the middle ones last.
    const batches = [all.slice(0, 90), all.slice(250), all.slice(90, 91), all.slice(91, 250)];
    for (const batch of batches) await database.insert(clickTable).values(batch);

    const range = clickRange({ from, to, timeZone: 'Asia/Dubai' }, new Date(first));
    const shown = await analyseClicks(database, parentId, range);
    const within = all.filter(({ at }) => at >= range.from && at < range.to);
    const people = within.filter(click => click.class === 'human');
    const ofClass = countBy(within, click => click.class);
    expect(shown).toMatchObject({
      total: people.length,
      scans: people.filter(({ scanned }) => scanned).length,
      bots: ofClass.get('bot') ?? 0,
      previews: ofClass.get('preview') ?? 0,
      prefetches: ofClass.get('prefetch') ?? 0,
      unique: visitorsOf(people),
    });
    expect(shown.byDay).toEqual(
      range.days.map(day => {
        const ofDay = people.filter(click => dayOf(click) === day);
        return { day, clicks: ofDay.length, unique: visitorsOf(ofDay) };
      }),
    );
    const sorted = (rows: readonly { clicks: number }[]) => rows.map(row => JSON.stringify(row)).sort();
    const expected = (name: string, key: (click: ClickRow) => unknown) =>
      sorted([...countBy(people, key)].map(([value, clicks]) => ({ [name]: value, clicks })));
    expect(sorted(shown.byReferrer)).toEqual(expected('referrer', ({ referrer }) => referrer));
    expect(sorted(shown.byCountry)).toEqual(expected('country', ({ country }) => country));
    expect(sorted(shown.byDevice)).toEqual(expected('device', ({ device }) => device));
    expect(sorted(shown.byBrowser)).toEqual(expected('browser', ({ browser }) => browser));
    expect(Object.fromEntries(shown.byLink.map(({ id, clicks }) => [id, clicks]))).toEqual(
      Object.fromEntries(countBy(people, ({ linkId }) => linkId)),
    );
    // Another time zone has no daily counts.
    const elsewhere = await analyseClicks(database, parentId, { ...range, to: new Date(range.to.getTime() - 1) });
    expect(elsewhere).toMatchObject({ total: shown.total, unique: shown.unique, byDay: shown.byDay });
  });

  it('and the totals of links stay when the clicks are deleted', async () => {
    const { links, parentId, childId } = await campaignWithChild();
    await database.insert(clickTable).values(clicksOn([parentId, childId]));
    await makeClickMonth(database);
    await database.insert(clickTable).values(clicksOn([parentId]).map(click => ({ ...click, at: new Date() })));
    const range = clickRange({ from: '2026-03-02', to: '2026-03-06', timeZone: 'Asia/Dubai' }, new Date(first));
    const before = await analyseClicks(database, parentId, range);
    const totals = await links.familyClicks([parentId]);
    expect(totals.get(parentId)?.total).toBeGreaterThan(before.total);
    while ((await dropClickMonths(database, 1, 1_000)) > 0);
    const { rows } = await database.execute(
      sql`select count(*)::int as n from link_click where at < now() - interval '32 days'`,
    );
    expect(rows).toEqual([{ n: 0 }]);
    expect(await analyseClicks(database, parentId, range)).toEqual(before);
    expect(await links.familyClicks([parentId])).toEqual(totals);
  });
});

it('drops whole months of clicks', async () => {
  await database.execute(sql`select make_click_month('2019-05-17')`);
  await database.insert(clickTable).values({
    ...{ linkId: randomUUID(), at: new Date('2019-05-31T23:59:59Z'), class: 'human', scanned: false },
  });
  const months = async () =>
    (await database.execute(sql`select relname from pg_class where relname = 'click_2019_05'`)).rows.length;
  expect(await months()).toBe(1);
  await dropClickMonths(database, 365, 1_000);
  expect(await months()).toBe(0);
});

it('the migration counts the clicks of an earlier version, and those that its processes still write', async () => {
  const { url, close: drop } = await openTestDatabase('click-migration');
  const folder = temporaryFolder();
  const linkId = randomUUID();
  const rows = await withConnection({ connectionString: url }, async client => {
    const applied = await readApplied(client);
    await client.query('drop schema public cascade; create schema public; drop schema drizzle cascade');
    await migrationsOf(applied.slice(0, 36), folder);
    const logger = pino({ level: 'silent' });
    await migrateDatabase({ url, logger, folder });
    await client.query(
      `insert into link (id, slug, slug_key, kind, name, url, utm, target, fingerprint, client_id)
       values ($1, 'a', 'a', 'campaign', 'a', 'https://example.com/', '{}', 'https://example.com/', 'a', 'portal')`,
      [linkId],
    );
    await client.query(
      `insert into click (link_id, at, class, scanned, visitor)
       select $1, at::timestamptz, 'human', false, gen_random_uuid() from unnest($2::text[]) as at`,
      [linkId, ['2025-12-31T19:00:00Z', '2025-12-31T21:00:00Z', new Date().toISOString()]],
    );
    await migrateDatabase({ url, logger });
    // A process of the earlier version that still runs.
    await client.query(`insert into click (link_id, at, class, scanned) values ($1, '2026-01-05', 'human', false)`, [
      linkId,
    ]);
    await client.query(`insert into link_click select * from click where at > '2026-02-01'`);
    await client.query(`select make_click_month('2026-01-05'), make_click_month('2030-01-05')`);
    await client.query(
      `insert into link_click (link_id, at, class, scanned) values ($1, '2030-01-05', 'human', false)`,
      [linkId],
    );
    return await client.query<{ month: string; n: number }>(
      'select tableoid::regclass::text as month, count(*)::int as n from link_click group by 1 order by 1',
    );
  });
  expect(rows.rows).toEqual([
    { month: 'click', n: 5 },
    { month: 'click_2030_01', n: 1 },
  ]);
  const counted = await withConnection({ connectionString: url }, client =>
    client.query(
      `select day::text, dimension, clicks, people from click_day
       where link_id = $1 and dimension in ('day', 'month class') and day < '2026-02-01' order by dimension, day`,
      [linkId],
    ),
  );
  expect(counted.rows).toEqual([
    { day: '2025-12-31', dimension: 'day', clicks: 1, people: 1 },
    { day: '2026-01-01', dimension: 'day', clicks: 1, people: 1 },
    { day: '2026-01-05', dimension: 'day', clicks: 1, people: 0 },
    { day: '2025-12-01', dimension: 'month class', clicks: 1, people: 0 },
    { day: '2026-01-01', dimension: 'month class', clicks: 2, people: 0 },
  ]);
  await rm(path.resolve(folder), { recursive: true, force: true });
  await drop();
});
