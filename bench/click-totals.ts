/**
 * Measures the totals of a page of 50 links and the analytics of a campaign with 20 child links over a year, at 15,000,
 * 45,000 and 135,000 clicks, and how many clicks a second are counted when each batch has clicks of the whole year.
 * Baseline: the same analytics counted click by click, as in another time zone. Goal: at most 100 ms at 100 million clicks.
 */
import { sql } from 'drizzle-orm';
import { analyseClicks } from '../core/domain/links/click-analytics.ts';
import { dropClickMonths } from '../core/domain/links/click-months.ts';
import { clickRange } from '../core/domain/links/click-range.ts';
import { createLinks } from '../core/domain/links/links.ts';
import { type Measurement, medianTime, printGrowth, printSize, timeOf, withBenchDatabase } from './support/sizes.ts';

const sizes = [15_000, 45_000, 135_000];
const target = { size: 100_000_000, goalMs: 100 };
const clicksPerInsert = 3_000;
/** Few, so that each day of each campaign has clicks of all kinds at each size, as with many clicks. */
const campaigns = 3;
const links = campaigns * 21;

await withBenchDatabase(async ({ database }) => {
  const service = createLinks(database, 'https://portal.example');
  const draft = { kind: 'campaign', url: 'https://example.com/', clientId: 'bench' } as const;
  const parents = await service.create(
    Array.from({ length: campaigns }, (_, index) => ({ ...draft, name: `c${index}` })),
  );
  const ids = parents.map(({ link }) => link.id);
  const children = await service.create(
    Array.from({ length: links - ids.length }, (_, index) => ({
      ...draft,
      name: `l${index}`,
      parentId: ids[index % ids.length],
    })),
  );
  const campaign = ids[0] ?? '';
  const page = children.slice(0, 50).map(({ link }) => link.id);
  const since = new Date(Date.now() - 365 * 86_400_000);
  const [ours, byClick] = ['Asia/Dubai', 'Asia/Kolkata'].map(timeZone => clickRange({ timeZone }, since));
  if (!ours || !byClick) throw new Error('a range is missing');

  const measured = new Map<string, Measurement[]>();
  const note = (what: string, measurement: Measurement, remark?: string) => {
    printSize(what, measurement, remark);
    measured.set(what, [...(measured.get(what) ?? []), measurement]);
  };
  let stored = 0;
  for (const size of sizes) {
    const begin = stored;
    const fillMs = await timeOf(async () => {
      for (; stored < size; stored += clicksPerInsert) {
        // Each batch over the whole year, so that each day has clicks at each size; a visitor has about three clicks.
        await database.execute(sql`
          insert into link_click (link_id, at, class, scanned, visitor, country, referrer, device, browser)
          select (array(select id from link order by id))[1 + (random() * ${links - 1})::int],
            now() - ((n / 3) * 7919 % 365) * interval '1 day' + n * interval '10 milliseconds',
            case when n % 20 = 0 then 'bot' else 'human' end, n % 7 = 0, md5((n / 3)::text || ${stored}::text)::uuid,
            (array['AE', 'IN', 'GB', null])[1 + n % 4], (array['instagram.com', 'google.com', null])[1 + n % 3],
            (array['mobile', 'desktop'])[1 + n % 2], (array['Safari', 'Chrome'])[1 + n % 2]
          from generate_series(1, ${clicksPerInsert}::int) as n`);
      }
    });
    process.stdout.write(`counted ${(((size - begin) / fillMs) * 1_000).toFixed(0)} clicks per second\n`);
    await database.execute(sql`vacuum analyze link_click`);
    await database.execute(sql`vacuum analyze click_day`);
    note('totals of 50 links', { size, ms: await medianTime(() => service.clicks(page)) });
    note('analytics of a year', { size, ms: await medianTime(() => analyseClicks(database, campaign, ours)) });
    note('counted click by click', { size, ms: await medianTime(() => analyseClicks(database, campaign, byClick), 3) });
  }
  for (const [what, times] of measured) printGrowth(what, times, target);
  const ms = await timeOf(() => dropClickMonths(database, 180, 1_000));
  process.stdout.write(`dropped the months older than 180 days in ${ms.toFixed(0)} ms\n`);
});
