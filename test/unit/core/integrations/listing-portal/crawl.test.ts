/** A crawl finds every location through searches, or returns warnings that it may be incomplete. */
import { describe, expect, it } from 'vitest';
import { crawlLocations } from '../../../../../core/integrations/listing-portal/crawl.ts';
import type { LocationPage, LocationQuery } from '../../../../../core/integrations/listing-portal/location.ts';
import { cities } from '../../../../../core/integrations/listing-portal/names.ts';
import type { PortalLocation } from '../../../../../core/integrations/listing-portal/wire.ts';
import { type Given, locationTree } from '../../../../support/locations.ts';

const given: Given[] = [
  { id: 1, path: 'Dubai', nameAr: 'دبي' },
  { id: 2, path: 'Sharjah', nameAr: 'الشارقة' },
  { id: 10, path: 'Dubai > Dubai Marina', nameAr: 'دبي مارينا' },
  { id: 11, path: 'Sharjah > Al Nahda', nameAr: 'النهدة' },
  { id: 20, path: 'Dubai > Dubai Marina > Marina Gate' },
  ...Array.from({ length: 230 }, (_, index) => ({
    id: 100 + index,
    path: `Dubai > Dubai Marina > Marina Gate > Marina Gate ${index}`,
  })),
  { id: 500, path: 'Sharjah > Al Nahda > Dubai Gate Tower', type: 'tower' },
];

interface Portal {
  queries: LocationQuery[];
  search(query: LocationQuery): Promise<LocationPage>;
}

interface PortalBehaviour {
  /** The names that a search matches: of the whole path, the location's own and its parent's, or its own. */
  matches?: keyof typeof placesMatched;
  /** Changes a response of the portal; `queries` is the number of queries so far. */
  change?: (page: LocationPage, query: LocationQuery, queries: number) => LocationPage;
  given?: readonly Given[];
}

const placesMatched = { path: 0, parent: -2, own: -1 };

function portal({ matches = 'path', change = page => page, given: all = given }: PortalBehaviour = {}): Portal {
  const locations = locationTree(all);
  const queries: LocationQuery[] = [];
  return {
    queries,
    async search(query) {
      queries.push(query);
      const { term, type, id: wanted, page = 1, perPage = 100, language = 'en' } = query;
      const found = locations.filter(({ id, places, type: own }) => {
        if (wanted !== undefined) return id === wanted;
        const matched = places.slice(placesMatched[matches]);
        const names = matched.flatMap(place => [place.name, place.nameAr ?? '']);
        return (type ?? own) === own && names.some(name => name.toLowerCase().includes(term.toLowerCase()));
      });
      const rows = found.slice((page - 1) * perPage, page * perPage).map(
        ({ places, coordinates, id, type, name, nameAr }): PortalLocation => ({
          id,
          type,
          coordinates,
          name: language === 'ar' ? (nameAr ?? name) : name,
          path: places.map(place => ({
            id: place.id,
            type: place.type,
            name: language === 'ar' ? (place.nameAr ?? place.name) : place.name,
          })),
        }),
      );
      return change({ total: found.length, locations: rows }, query, queries.length);
    },
  };
}

const allIds = given.map(({ id }) => id).sort((one, other) => one - other);
const idsOf = (locations: readonly { id: number }[]) => locations.map(({ id }) => id).sort((one, other) => one - other);

describe('a crawl', () => {
  it('returns every location of all cities once, parents before children', async () => {
    const { search } = portal();
    const { locations, warnings } = await crawlLocations(search, {});
    expect(warnings).toEqual([]);
    expect(idsOf(locations)).toEqual(allIds);
    const depths = locations.map(({ places }) => places.length);
    expect(depths).toEqual([...depths].sort((one, other) => one - other));
    const cityIds = locations.filter(({ places }) => places.length === 1).map(({ id }) => id);
    expect(cityIds).toEqual([1, 2]);
  });

  it('returns the coordinates of the portal, and the places above a location also when no search finds them', async () => {
    const { search } = portal({
      change: ({ locations }, { perPage }) => {
        const found = locations.filter(({ id }) => id === 500);
        const rows = found.map(row => ({ ...row, coordinates: { lat: 25, lng: 55 } }));
        return { locations: rows, total: perPage === 1 ? 1 : rows.length };
      },
    });
    expect((await crawlLocations(search, { city: 'Sharjah' })).locations).toMatchObject([
      { id: 2, name: 'Sharjah', coordinates: null, places: [{ id: 2 }] },
      { id: 11, name: 'Al Nahda', coordinates: null, places: [{ id: 2 }, { id: 11 }] },
      { id: 500, coordinates: { lat: 25, lng: 55 }, places: [{ id: 2 }, { id: 11 }, { id: 500 }] },
    ]);
  });

  it('keeps the coordinates of a place when it finds places in it', async () => {
    const coordinates = { lat: 25, lng: 55 };
    const { search } = portal({
      change: ({ locations, total }) => ({ total, locations: locations.map(row => ({ ...row, coordinates })) }),
    });
    const { locations } = await crawlLocations(search, { city: 'Sharjah' });
    expect(locations).toHaveLength(3);
    for (const location of locations) expect(location.coordinates).toEqual(coordinates);
  });

  it('returns the Arabic names, also of the places above, and null where there is none', async () => {
    const { locations } = await crawlLocations(portal().search, {});
    const found = new Map(locations.map(location => [location.id, location]));
    expect(found.get(11)).toMatchObject({ name: 'Al Nahda', nameAr: 'النهدة' });
    expect(found.get(100)?.places.map(({ nameAr }) => nameAr)).toEqual(['دبي', 'دبي مارينا', null, null]);
  });

  it('searches no more than it needs: the city, its types, their pages, in both languages', async () => {
    const { search, queries } = portal();
    await crawlLocations(search, { city: 'Sharjah' });
    expect(queries.length).toBeLessThan(15);
    expect(queries.map(({ term }) => term)).not.toContain('الشارقة');
  });

  it('searches a city’s Arabic name where a search in Arabic does not match English names', async () => {
    const { search, queries } = portal();
    const arabicOnly = async (query: LocationQuery) =>
      query.language === 'ar' && query.term === 'Sharjah' ? { total: 0, locations: [] } : await search(query);
    const { locations } = await crawlLocations(arabicOnly, { city: 'Sharjah' });
    expect(locations.map(({ nameAr }) => nameAr)).toEqual(['الشارقة', 'النهدة', null]);
    expect(queries).toContainEqual({ term: 'الشارقة', type: 'city', language: 'ar', page: 1 });
  });

  it('is checked by searches for the places with the fewest places below them, at most 40, and no towers', async () => {
    const small = Array.from({ length: 45 }, (_, index) => [
      { id: 100 + index, path: `Ajman > Quarter ${index}` },
      { id: 200 + index, path: `Ajman > Quarter ${index} > Tower ${index}`, type: 'tower' },
    ]);
    const given = [{ id: 1, path: 'Ajman' }, { id: 2, path: 'Ajman > Big' }, ...small.flat()];
    const large = [3, 4, 5].map(id => ({ id, path: `Ajman > Big > ${id}`, type: 'tower' }));
    const { search, queries } = portal({ given: [...given, ...large] });
    await crawlLocations(search, { city: 'Ajman' });
    const sample = queries.filter(({ type, perPage }) => type === undefined && perPage === undefined);
    expect(sample.map(({ term }) => term)).toEqual(small.slice(0, 40).map(([quarter]) => quarter?.path.slice(8)));
  });

  it('searches the name of a place with one letter twice, because the portal requires two', async () => {
    const short = [
      { id: 600, path: 'Sharjah > Ñ' },
      { id: 601, path: 'Sharjah > Ño' },
    ];
    const { search, queries } = portal({ given: [...given, ...short] });
    await crawlLocations(search, { city: 'Sharjah' });
    expect(queries.map(({ term }) => term)).toEqual(expect.arrayContaining(['Ñ Ñ', 'Ño']));
    expect(queries.map(({ term }) => term)).not.toContain('Ñ');
  });

  it.each(['sharjah', 'الشارقة'])('of one city reads that city, named in any spelling: %s', async city => {
    const { search } = portal();
    expect(idsOf((await crawlLocations(search, { city })).locations)).toEqual([2, 11, 500]);
  });

  it('of one city leaves out locations of another with a similar name', async () => {
    const { locations } = await crawlLocations(portal().search, { city: 'Dubai' });
    expect(idsOf(locations)).not.toContain(500);
    expect(idsOf(locations)).toContain(329);
  });

  it('searches the names of all places where a search finds only the next level', async () => {
    const { search } = portal({ matches: 'parent' });
    const { locations, warnings } = await crawlLocations(search, {});
    expect(warnings).toEqual([]);
    expect(idsOf(locations)).toEqual(allIds);
  });

  it('returns no locations and no warnings when every answer is empty; the plan guard detects it', async () =>
    expect(await crawlLocations(portal({ given: [] }).search, {})).toEqual({
      locations: [],
      unreadable: [],
      missed: [],
      warnings: [],
    }));

  describe('that other sources know more of', () => {
    const known = (ids: readonly number[], parents: readonly string[] = []) => ({
      missing: async (isFound: (id: number) => boolean) =>
        new Map(ids.filter(id => !isFound(id)).map(id => [id, ''] as const)),
      parents: async () => parents,
    });

    it('looks up by their ids those that it did not find, and adds those that the portal has with their places', async () => {
      const { search, queries } = portal({ matches: 'own' });
      const { locations, missed } = await crawlLocations(search, { city: 'Sharjah', known: known([2, 500, 999, 150]) });
      expect(queries.flatMap(({ id }) => id ?? [])).toEqual([500, 999, 150]);
      expect(missed).toMatchObject([{ id: 500, places: [{ id: 2 }, { id: 11 }, { id: 500 }] }]);
      expect(idsOf(locations)).toEqual([2, 11, 500]);
    });

    it('searches for the names of their places, and misses none that such a search returns', async () => {
      const { search } = portal({ matches: 'parent' });
      const { locations, missed } = await crawlLocations(search, { known: known([150]) });
      expect(missed).toEqual([]);
      expect(idsOf(locations)).toEqual(allIds);
    });

    it('searches for the names of other known places once it has missed a location', async () => {
      const { search, queries } = portal({ matches: 'own' });
      await crawlLocations(search, { known: known([150], ['Business Bay']) });
      expect(queries.map(({ term }) => term)).toContain('Business Bay');
      const complete = portal();
      await crawlLocations(complete.search, { known: known([150], ['Business Bay']) });
      expect(complete.queries.map(({ term }) => term)).not.toContain('Business Bay');
    });
  });

  it('reports its progress', async () => {
    const reported: [number, number][] = [];
    await crawlLocations(portal().search, { progress: (done, total) => reported.push([done, total]) });
    expect(reported).toEqual(cities.map((_, index) => [index, cities.length]));
  });

  it('reports the progress of the search for all names', async () => {
    const reported: [number, number][] = [];
    const paths = ['Ajman', 'Ajman > First', 'Ajman > First > Second', 'Ajman > First > Second > Tower'];
    const { search } = portal({ matches: 'parent', given: paths.map((path, index) => ({ id: index + 1, path })) });
    const progress = (done: number, total: number) => reported.push([done, total]);
    const { locations } = await crawlLocations(search, { city: 'Ajman', progress });
    expect(idsOf(locations)).toEqual([1, 2, 3, 4]);
    // The city, then the names of Ajman and First, then the name of Second, which the search for First found.
    expect(reported).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
      [0, 1],
    ]);
  });
});

describe('a crawl warns about', () => {
  const warningsOf = async (change: NonNullable<PortalBehaviour['change']>) =>
    (await crawlLocations(portal({ change }).search, {})).warnings;

  it('a page that repeats the previous one', async () => {
    const { search } = portal();
    const repeating = (query: LocationQuery) => search(query.page === 2 ? { ...query, page: 1 } : query);
    const { warnings } = await crawlLocations(repeating, {});
    expect(warnings.join()).toContain('the pages returned 100 of 231 locations');
  });

  it('a short page', async () => {
    const warnings = await warningsOf((page, { page: number, language }) =>
      number === 2 && language !== 'ar' ? { ...page, locations: page.locations.slice(1) } : page,
    );
    expect(warnings.join()).toContain('the pages returned 230 of 231 locations');
  });

  it('types that do not add up to the city’s total', async () => {
    const warnings = await warningsOf((page, { term, type }) =>
      term === 'Sharjah' && type === undefined ? { ...page, total: page.total + 5 } : page,
    );
    expect(warnings).toEqual(['Sharjah: the portal counted 8 locations and returned 3.']);
  });

  it('nothing when a list changes once during the crawl: it is read again', async () => {
    let hasChanged = false;
    const warnings = await warningsOf((page, { page: number }) => {
      if (number !== 2 || hasChanged) return page;
      hasChanged = true;
      return { ...page, locations: page.locations.slice(1) };
    });
    expect({ warnings, hasChanged }).toEqual({ warnings: [], hasChanged: true });
  });

  it('nothing when only pages in Arabic do not add up', async () => {
    const warnings = await warningsOf((page, { language }) =>
      language === 'ar' ? { ...page, total: page.total + 1 } : page,
    );
    expect(warnings).toEqual([]);
  });

  it('nothing when only Arabic names are missing', async () => {
    const warnings = await warningsOf((page, { language }) => (language === 'ar' ? { total: 0, locations: [] } : page));
    expect(warnings).toEqual([]);
  });
});
