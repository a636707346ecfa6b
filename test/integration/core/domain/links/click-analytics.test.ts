/** The analytics and totals give the same numbers as counting the clicks in JavaScript. */
import { describe, expect, it } from 'vitest';
import { analyseClicks } from '../../../../../core/domain/links/click-analytics.ts';
import { clickRange } from '../../../../../core/domain/links/click-range.ts';
import { createLinks } from '../../../../../core/domain/links/links.ts';
import { clickTable } from '../../../../../core/domain/links/schema.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

type ClickRow = typeof clickTable.$inferInsert;

const { database } = await useTestDatabase('click-analytics');

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
  ])('from %s to %s equal its clicks', async (from, to, days = 5) => {
    const { parentId, childId } = await campaignWithChild();
    const all = clicksOn([parentId, childId], days);
    await database.insert(clickTable).values(all);

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
  });

  it('has totals per link, and per campaign with its child links', async () => {
    const { links, parentId, childId } = await campaignWithChild();
    const all = clicksOn([parentId, parentId, childId]);
    await database.insert(clickTable).values(all);
    const totalsOf = (clicks: readonly ClickRow[]) => {
      const ofClass = countBy(clicks, click => click.class);
      return {
        total: ofClass.get('human') ?? 0,
        scans: clicks.filter(click => click.class === 'human' && click.scanned).length,
        bots: ofClass.get('bot') ?? 0,
        previews: ofClass.get('preview') ?? 0,
        prefetches: ofClass.get('prefetch') ?? 0,
      };
    };
    const ofLink = (id: string) => all.filter(({ linkId }) => linkId === id);
    expect(await links.clicks([parentId, childId])).toEqual(
      new Map([parentId, childId].map(id => [id, totalsOf(ofLink(id))])),
    );
    expect(await links.familyClicks([parentId])).toEqual(new Map([[parentId, totalsOf(all)]]));
  });
});
