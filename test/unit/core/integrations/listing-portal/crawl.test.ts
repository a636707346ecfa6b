/** A crawl finds every location by searches alone, or says that it may not have. */
import { describe, expect, it } from 'vitest';
import { cities } from '../../../../../core/integrations/listing-portal/cities.ts';
import { crawlLocations } from '../../../../../core/integrations/listing-portal/crawl.ts';
import type {
  LocationPage,
  LocationQuery,
} from '../../../../../core/integrations/listing-portal/location-query.ts';
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
  asked: LocationQuery[];
  search(query: LocationQuery): Promise<LocationPage>;
}

interface Manner {
  /** The names that a search looks into: of the whole path, or the location's own and the one above it. */
  into?: 'path' | 'parent';
  /** Spoils an answer. */
  spoil?: (page: LocationPage, query: LocationQuery, asked: number) => LocationPage;
  given?: readonly Given[];
}

function portal({ into = 'path', spoil = page => page, given: all = given }: Manner = {}): Portal {
  const locations = locationTree(all);
  const asked: LocationQuery[] = [];
  return {
    asked,
    async search(query) {
      asked.push(query);
      const { term, type, page = 1, perPage = 100, language = 'en' } = query;
      const found = locations.filter(({ places, type: own }) => {
        const looked = into === 'path' ? places : places.slice(-2);
        const names = looked.flatMap(place => [place.name, place.nameAr ?? '']);
        return (type ?? own) === own && names.some(name => name.toLowerCase().includes(term.toLowerCase()));
      });
      const rows = found.slice((page - 1) * perPage, page * perPage).map(
        ({ places, coordinates, id, type, name, nameAr }): PortalLocation => ({
          ...{ id, type, coordinates },
          name: language === 'ar' ? (nameAr ?? name) : name,
          path: places.map(place => ({
            id: place.id,
            type: place.type,
            name: language === 'ar' ? (place.nameAr ?? place.name) : place.name,
          })),
        }),
      );
      return spoil({ total: found.length, locations: rows }, query, asked.length);
    },
  };
}

const allIds = given.map(({ id }) => id).sort((one, other) => one - other);
const idsOf = (locations: readonly { id: number }[]) =>
  locations.map(({ id }) => id).sort((one, other) => one - other);

describe('a crawl', () => {
  it('finds all of all cities, each once, parents before children', async () => {
    const { search } = portal();
    const { locations, doubts } = await crawlLocations(search, {});
    expect(doubts).toEqual([]);
    expect(idsOf(locations)).toEqual(allIds);
    const depths = locations.map(({ places }) => places.length);
    expect(depths).toEqual([...depths].sort((one, other) => one - other));
  });

  it('brings the Arabic names, of the places above as well, and null where there is none', async () => {
    const { locations } = await crawlLocations(portal().search, {});
    const found = new Map(locations.map(location => [location.id, location]));
    expect(found.get(11)).toMatchObject({ name: 'Al Nahda', nameAr: 'النهدة' });
    expect(found.get(100)?.places.map(({ nameAr }) => nameAr)).toEqual(['دبي', 'دبي مارينا', null, null]);
  });

  it('asks for no more than it needs: the city, its types, their pages, in both languages', async () => {
    const { search, asked } = portal();
    await crawlLocations(search, { city: 'Sharjah' });
    expect(asked.length).toBeLessThan(15);
  });

  it('of one city leaves out what lies in another, however it is called', async () => {
    const { locations } = await crawlLocations(portal().search, { city: 'Dubai' });
    expect(idsOf(locations)).not.toContain(500);
    expect(idsOf(locations)).toContain(329);
  });

  it('goes on with the names of all places where a search finds no more than the next level', async () => {
    const { search } = portal({ into: 'parent' });
    const { locations, doubts } = await crawlLocations(search, {});
    expect(doubts).toEqual([]);
    expect(idsOf(locations)).toEqual(allIds);
  });

  it('of a portal that answers with nothing finds nothing, for the guard to see', async () => {
    expect(await crawlLocations(portal({ given: [] }).search, {})).toEqual({ locations: [], doubts: [] });
  });

  it('tells how far it is', async () => {
    const told: [number, number][] = [];
    await crawlLocations(portal().search, { progress: (done, total) => told.push([done, total]) });
    expect(told).toEqual(cities.map((_, index) => [index, cities.length]));
  });
});

describe('a crawl doubts', () => {
  const doubtsOf = async (spoil: NonNullable<Manner['spoil']>) =>
    (await crawlLocations(portal({ spoil }).search, {})).doubts;

  it('a page that repeats the one before', async () => {
    const { search } = portal();
    const repeating = (query: LocationQuery) => search(query.page === 2 ? { ...query, page: 1 } : query);
    const { doubts } = await crawlLocations(repeating, {});
    expect(doubts.join()).toContain('of 231 locations the pages gave 100');
  });

  it('a page that is short', async () => {
    const doubts = await doubtsOf((page, { page: number, language }) =>
      number === 2 && language !== 'ar' ? { ...page, locations: page.locations.slice(1) } : page,
    );
    expect(doubts.join()).toContain('of 231 locations the pages gave 230');
  });

  it('types that do not add up to the city’s total', async () => {
    const doubts = await doubtsOf((page, { term, type }) =>
      term === 'Sharjah' && type === undefined ? { ...page, total: page.total + 5 } : page,
    );
    expect(doubts).toEqual(['Sharjah: the portal says that there are 8 locations and gave 3.']);
  });

  it('nothing when a list changes once while it is read: it is read again', async () => {
    let spoilt = false;
    const doubts = await doubtsOf((page, { page: number }) => {
      if (number !== 2 || spoilt) return page;
      spoilt = true;
      return { ...page, locations: page.locations.slice(1) };
    });
    expect({ doubts, spoilt }).toEqual({ doubts: [], spoilt: true });
  });

  it('nothing when only Arabic names are missing', async () => {
    const doubts = await doubtsOf((page, { language }) =>
      language === 'ar' ? { total: 0, locations: [] } : page,
    );
    expect(doubts).toEqual([]);
  });
});
