/**
 * Measures the analytics of a campaign with 200,000 clicks on 21 links, and the totals of a page of 50 links, in a table of
 * 10 million clicks of a year. Goal: analytics within 300 ms.
 */
import { sql } from 'drizzle-orm';
import { analyseClicks } from '../core/domain/links/click-analytics.ts';
import { clickRange } from '../core/domain/links/click-range.ts';
import { deleteClicks } from '../core/domain/links/clicks.ts';
import { createLinks } from '../core/domain/links/links.ts';
import { figure } from './support/results.ts';
import { medianTime, timeOf, withBenchDatabase } from './support/sizes.ts';

const clicks = 10_000_000;
const clicksOfCampaign = 200_000;
const otherLinks = 5_000;

await withBenchDatabase(async ({ database }) => {
  const service = createLinks(database, 'https://portal.example');
  const draft = { kind: 'campaign', url: 'https://example.com/', clientId: 'bench' } as const;
  const [campaign] = await service.create([{ ...draft, name: 'campaign' }]);
  if (!campaign) throw new Error('the campaign is missing');
  const parentId = campaign.link.id;
  const children = await service.create(Array.from({ length: 20 }, (_, n) => ({ ...draft, name: `c${n}`, parentId })));
  const others = await service.create(Array.from({ length: otherLinks }, (_, n) => ({ ...draft, name: `o${n}` })));
  const idsOf = (made: typeof children) => made.map(({ link }) => link.id);
  const family = [parentId, ...idsOf(children)];

  // As with real clicks, those of a link are spread over the table. A visitor has 1.5 clicks on average.
  const every = clicks / clicksOfCampaign;
  const fillMs = await timeOf(() =>
    database.execute(sql`
      insert into click (link_id, at, class, scanned, visitor, country, referrer, device, browser)
      select case when n % ${every} = 0 then (${sql.param(family)}::uuid[])[1 + n / ${every} % 21]
          else (${sql.param(idsOf(others))}::uuid[])[1 + (n::bigint * 7919) % ${otherLinks}] end,
        now() - (${clicks} - n) * interval '3.15 seconds',
        case when n % 17 = 0 then 'bot' when n % 23 = 0 then 'preview' else 'human' end, n % 7 = 0,
        md5((n - n / ${every} % 3 / 2 * ${every})::text)::uuid,
        (array['AE', 'IN', 'GB', 'SA', 'RU', 'CN', 'FR', 'DE', null])[1 + (random() * 8)::int],
        (array['instagram.com', 'google.com', 't.co', 'facebook.com', 'linkedin.com', null])[1 + (random() * 5)::int],
        (array['mobile', 'desktop', 'tablet'])[1 + (random() * random() * 2)::int],
        (array['Safari', 'Chrome', 'Instagram', 'Firefox', 'Edge'])[1 + (random() * 4)::int]
      from generate_series(1, ${clicks}::int) as n`),
  );
  await database.execute(sql`vacuum analyze click`);
  figure('inserted', (clicks / fillMs) * 1_000, 'clicks/s');

  const range = clickRange({ timeZone: 'Asia/Dubai' }, new Date(Date.now() - 365 * 86_400_000));
  const shown = await analyseClicks(database, parentId, range);
  process.stdout.write(`${shown.total} clicks by ${shown.unique} people\n`);
  figure('analytics of a campaign', await medianTime(() => analyseClicks(database, parentId, range)), 'ms', {
    goal: '300',
  });
  const page = idsOf(others).slice(0, 50);
  figure('totals of 50 links', await medianTime(() => service.clicks(page)), 'ms');
  const deleteMs = await timeOf(() => deleteClicks(database, 300, 1_000));
  figure('deletion of 1,000 clicks', deleteMs, 'ms');
});
