import { beforeAll, describe, expect, it } from 'vitest';
import { createPortalLocationSearch } from '../../../../../core/domain/locations/portal-location-search.ts';
import { createPortalLocations } from '../../../../../core/domain/locations/portal-locations.ts';
import { locationTree } from '../../../../support/locations.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const tree = locationTree([
  { id: 1, path: 'Dubai', nameAr: 'دبي' },
  { id: 2, path: 'Sharjah', nameAr: 'الشارقة' },
  { id: 3, path: 'Abu Dhabi', nameAr: 'أبو ظبي' },
  { id: 10, path: 'Dubai > Dubai Marina', nameAr: 'دبي مارينا' },
  { id: 11, path: 'Dubai > Jumeirah Village Circle (JVC)', nameAr: 'قرية جميرا الدائرية' },
  { id: 12, path: 'Dubai > Jumeirah', nameAr: 'جميرا' },
  { id: 13, path: 'Dubai > Al Nahda', nameAr: 'النهدة' },
  { id: 14, path: 'Sharjah > Al Nahda', nameAr: 'النهدة' },
  { id: 15, path: 'Dubai > Business Bay', nameAr: 'الخليج التجاري' },
  { id: 16, path: "Dubai > Za'abeel", nameAr: 'زعبيل' },
  { id: 20, path: 'Dubai > Dubai Marina > Marina Gate' },
  { id: 30, path: 'Dubai > Dubai Marina > Marina Gate > Marina Gate 1', nameAr: 'مارينا جيت ١' },
  { id: 31, path: 'Dubai > Dubai Marina > Marina Gate > Marina Gate 2' },
  { id: 32, path: 'Dubai > Dubai Marina > Marina Gate > Marina Gate 10' },
  { id: 33, path: 'Dubai > Dubai Marina > Jumeirah Living', type: 'tower' },
  { id: 34, path: 'Sharjah > Al Nahda > Marina Tower', type: 'tower' },
  { id: 35, path: 'Sharjah > Al Nahda > Jumeirah', type: 'tower' },
  { id: 36, path: 'Dubai > Business Bay > The Residences Dubai', type: 'tower' },
  { id: 37, path: 'Dubai > Al Nahda > Old Marina', type: 'tower' },
  { id: 39, path: 'Dubai > Jumeirah > Noor Villas', type: 'tower' },
  { id: 38, path: 'Dubai > Jumeirah Village Circle (JVC) > Noor House', type: 'tower' },
]);

const { database } = await useTestDatabase('portal-location-search');
const copy = createPortalLocations(database);
const locations = createPortalLocationSearch(database);

beforeAll(async () => {
  await copy.change({ put: tree, gone: [] }, { city: undefined, read: tree.length, asOf: new Date() });
  await loseOldMarina();
});

const loseOldMarina = () =>
  copy.change({ put: [], gone: [37] }, { city: undefined, read: tree.length, asOf: new Date() });
const namesOf = async (text: string, options: { type?: string; limit?: number } = {}): Promise<string[]> =>
  (await locations.search({ text, limit: 10, ...options })).map(({ name }) => name);

describe('a search finds', () => {
  it.each([
    [
      'the exact name before longer ones',
      'jumeirah',
      ['Jumeirah', 'Jumeirah', 'Jumeirah Village Circle (JVC)', 'Jumeirah Living'],
    ],
    [
      'larger locations first among equal prefixes',
      'marina',
      ['Marina Gate', 'Marina Gate 1', 'Marina Gate 10', 'Marina Gate 2', 'Marina Tower', 'Dubai Marina'],
    ],
    ['prefixes of names before later words', 'dubai', ['Dubai', 'Dubai Marina', 'The Residences Dubai']],
    ['the text in brackets', 'JVC', ['Jumeirah Village Circle (JVC)']],
    ['the name without its brackets', 'jumeirah village circle', ['Jumeirah Village Circle (JVC)']],
    ['a name with an apostrophe written without', 'zaabeel', ["Za'abeel"]],
    ['a name with a hyphen instead of a space', 'business-bay', ['Business Bay']],
    ['a location by its name and an ancestor', 'marina tower sharjah', ['Marina Tower']],
    ['words in any order', 'sharjah nahda', ['Al Nahda']],
    ['prefixes of these words', 'mar tow shar', ['Marina Tower']],
    ['Arabic', 'دبي مارينا', ['Dubai Marina']],
    ['an Arabic prefix', 'قرية جم', ['Jumeirah Village Circle (JVC)']],
    ['Arabic without hamza and with another last letter', 'ابو ظبى', ['Abu Dhabi']],
    ['Arabic with western digits', 'مارينا جيت 1', ['Marina Gate 1']],
  ])('%s: %s', async (_, text, names) => {
    const found = await namesOf(text);
    expect(found.slice(0, names.length)).toEqual(names);
  });

  it.each([
    ['jumeria', 'Jumeirah'],
    ['dubia marina', 'Dubai Marina'],
    ['busines bay', 'Business Bay'],
    ['bussiness bey', 'Business Bay'],
    ['al nadha', 'Al Nahda'],
    ['sharja', 'Sharjah'],
    ['shrajah', 'Sharjah'],
    ['marinagate', 'Marina Gate'],
    ['الشارقه', 'Sharjah'],
    ['الشرقة', 'Sharjah'],
    ['دبي مرينا', 'Dubai Marina'],
    ['جمير', 'Jumeirah'],
  ])('the intended location first for the misspelled %s: %s', async (text, name) =>
    expect((await namesOf(text))[0]).toBe(name),
  );

  it('only the requested type and number', async () => {
    expect(await namesOf('marina', { type: 'community' })).toEqual(['Dubai Marina']);
    expect(await namesOf('marina', { limit: 2 })).toEqual(['Marina Gate', 'Marina Gate 1']);
  });

  it.each(['qqzzxx', '—', '', '%', '_'])('nothing for %j', async text => expect(await namesOf(text)).toEqual([]));

  it('no gone locations, by any kind of match', async () => {
    expect(await namesOf('old marina')).not.toContain('Old Marina');
    expect(await namesOf('old marnia')).not.toContain('Old Marina');
    expect(await locations.named('Old Marina')).toEqual([]);
    expect(await locations.mentionedIn('a flat in Old Marina', 5)).not.toContainEqual(
      expect.objectContaining({ id: 37 }),
    );
  });

  it('each location with its ancestors and a score', async () => {
    const [found] = await locations.search({ text: 'Marina Gate 1', limit: 1 });
    expect(found).toMatchObject({ id: 30, type: 'tower', nameAr: 'مارينا جيت ١', score: 1 });
    expect(found?.places.map(({ id }) => id)).toEqual([1, 10, 20, 30]);
    const scores = (await locations.search({ text: 'marina', limit: 10 })).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
  });
});

describe('a name', () => {
  const idsOf = async (name: string, parent?: string) => (await locations.named(name, parent)).map(({ id }) => id);

  it('is found in any normalized spelling', async () => {
    expect(await idsOf('  dubai   MARINA ')).toEqual([10]);
    expect(await idsOf('دبي مارينا')).toEqual([10]);
    expect(await idsOf('Jumeirah Village Circle (JVC)')).toEqual([11]);
  });

  it('is the whole name, not a prefix or an abbreviation', async () => {
    expect(await idsOf('Dubai Mar')).toEqual([]);
    expect(await idsOf('JVC')).toEqual([]);
  });

  it('of several locations returns the largest first, and can be limited by an ancestor', async () => {
    expect(await idsOf('Al Nahda')).toEqual([14, 13]);
    expect(await idsOf('Al Nahda', 'sharjah')).toEqual([14]);
    expect(await idsOf('النهدة', 'دبي')).toEqual([13]);
    expect(await idsOf('Marina Gate 1', 'Dubai')).toEqual([30]);
    expect(await idsOf('Al Nahda', 'Abu Dhabi')).toEqual([]);
  });
});

describe('a text', () => {
  it.each([
    ['Looking for 2BR in Dubai Marina or JVC, budget 1.5M', [10, 11]],
    ['أبحث عن شقة في دبي مارينا', [10]],
    ['call me', []],
    ['', []],
  ])('mentions: %s', async (text, ids) => {
    const mentioned = (await locations.mentionedIn(text, 10)).map(({ id }) => id);
    expect(mentioned).toEqual(ids);
  });

  it('mentions a location once, by its longest name, up to the limit', async () => {
    const ids = (await locations.mentionedIn('Marina Gate 1, Dubai Marina, Dubai', 10)).map(({ id }) => id);
    expect(ids).toEqual([30, 10]);
    expect(await locations.mentionedIn('Marina Gate 1, Dubai Marina, Dubai', 1)).toHaveLength(1);
  });
});

describe('the mirror', () => {
  it('returns the time of the last complete read, else of the newest read of a city', async () => {
    const [first, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
    await copy.change({ put: [], gone: [] }, { city: undefined, read: 19, asOf: first });
    await copy.change({ put: [], gone: [] }, { city: 'Dubai', read: 15, asOf: later });
    expect(await copy.asOf()).toEqual(first);
  });

  it('returns the locations of a city, and marks gone ones', async () => {
    expect((await copy.ids('Sharjah')).sort()).toEqual([14, 2, 34, 35]);
    const gone = (await copy.known(await copy.ids())).filter(location => location.gone).map(({ id }) => id);
    expect(gone).toEqual([37]);
  });

  it('restores a location that exists again', async () => {
    const back = tree.filter(({ id }) => id === 37);
    await copy.change({ put: back, gone: [] }, { city: undefined, read: 19, asOf: new Date() });
    expect(await namesOf('old marina')).toEqual(['Old Marina']);
    await loseOldMarina();
  });
});
