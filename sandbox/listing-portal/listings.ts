/** `GET /v1/listings`: the firm's listings with the ids of their locations, in all cities alike. */
import { listings } from '../kit/listings.ts';
import { once } from '../kit/once.ts';
import { createRandom } from '../kit/random.ts';
import { PageQuery, paged, parsed } from './locations.ts';
import { type PortalLocation, seedPortalLocations } from './portal-locations.ts';

interface PortalListing {
  id: string;
  reference: string;
  state: { type: 'live' };
  location: { id: number };
}

const seedListings = once(makeListings);

function makeListings(): PortalListing[] {
  const random = createRandom('listed locations');
  const byCity = new Map<number, PortalLocation[]>();
  for (const location of seedPortalLocations()) {
    const city = location.tree[0]?.id ?? 0;
    byCity.set(city, [...(byCity.get(city) ?? []), location]);
  }
  const cities = [...byCity.values()];
  return listings().map(({ number, portalId, reference }) => ({
    id: portalId,
    reference,
    state: { type: 'live' },
    location: { id: random.pick(cities[number % cities.length] ?? []).id },
  }));
}

export function listListings(query: unknown): object {
  const { rows, pagination } = paged(seedListings(), parsed(PageQuery, query));
  return { results: rows, pagination };
}
