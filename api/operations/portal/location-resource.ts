/** Locations of the listing portal: search in the mirror, requests and responses, and text for the chat bot. */
import { z } from 'zod';
import {
  createPortalLocationSearch,
  type FoundLocation,
} from '../../../core/domain/locations/portal-location-search.ts';
import { createPortalLocations } from '../../../core/domain/locations/portal-locations.ts';
import {
  Coordinates,
  type Location,
  locationTypes,
  Place,
} from '../../../core/integrations/listing-portal/location.ts';
import { isArabic, normalizeName } from '../../../core/integrations/listing-portal/names.ts';
import type { Database } from '../../../core/postgres/client.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { queryNumber } from '../../http/input-fields.ts';
import type { ApiServices } from '../../services.ts';

export const LocationName = z
  .string({ error: 'must be the name of a location' })
  .max(200)
  .refine(name => normalizeName(name) !== '', 'must have a letter or a digit')
  .meta({ examples: ['Dubai Marina'] });

export const LocationQuery = z.object({
  search: LocationName.describe('A name or part of one, in English or Arabic; tolerates misspellings.'),
  type: z
    .string()
    .toLowerCase()
    .pipe(z.enum(locationTypes))
    .optional()
    .describe('Only locations of this type, such as `community`.'),
  limit: queryNumber(1, 50).default(10).describe('Maximum number of locations, 1 to 50.'),
});

export const asOfField = z.iso.datetime().describe('When the mirror of the listing portal was last updated.');

export const locationExample = {
  id: 50,
  type: 'community',
  name: 'Dubai Marina',
  nameAr: 'دبي مارينا',
  path: [
    { id: 1, type: 'city', name: 'Dubai', nameAr: 'دبي' },
    { id: 50, type: 'community', name: 'Dubai Marina', nameAr: 'دبي مارينا' },
  ],
  coordinates: { lat: 25.0777, lng: 55.1386 },
};

export const LocationResource = z
  .object({
    ...Place.shape,
    path: z.array(Place).describe('From the city to the location itself.'),
    coordinates: Coordinates.nullable().describe('Of its centre; null when the portal has none.'),
  })
  .meta({ id: 'Location', examples: [locationExample] });

export const FoundLocationResource = LocationResource.extend({
  score: z
    .number()
    .describe(
      '1: exact name; 0.9: prefix of the name; 0.8: later words of the name; 0.7: words of the name and of its parents; below: another spelling.',
    ),
}).meta({ id: 'FoundLocation', examples: [{ ...locationExample, score: 0.9 }] });

export function locationResource<L extends Location>({ places, ...location }: L) {
  return { ...location, path: places };
}

/** When the mirror was last updated. @throws ServiceError service-unavailable when it was never filled */
export async function mirrorAsOf(database: Database): Promise<string> {
  const asOf = await createPortalLocations(database).asOf();
  if (asOf) return asOf.toISOString();
  throw new ServiceError(
    'service-unavailable',
    'The mirror of the listing portal is empty; fill it with POST /apps/listing-portal/v1/locations/update, and release this first read.',
    { retryAfterSeconds: 60 },
  );
}

export async function searchLocations({ database }: ApiServices, query: z.output<typeof LocationQuery>) {
  const [found, asOf] = await Promise.all([
    createPortalLocationSearch(database).search({ ...query, text: query.search }),
    mirrorAsOf(database),
  ]);
  return { found, asOf };
}

const typesAr: Readonly<Record<string, string>> = {
  city: 'مدينة',
  community: 'منطقة',
  subcommunity: 'منطقة فرعية',
  tower: 'برج',
};

/** One line per location, such as `1. Dubai Marina — community, Dubai`, in the language of the search text. */
export function chatText(search: string, found: readonly FoundLocation[]): string {
  const inArabic = isArabic(search);
  if (found.length === 0) {
    return inArabic
      ? `لم أجد موقعاً باسم «${search.trim()}». جرّب اسم المنطقة أو البرج.`
      : `I found no location called “${search.trim()}”. Try the name of a community or a tower.`;
  }
  const nameOf = ({ name, nameAr }: Place): string => (inArabic ? (nameAr ?? name) : name);
  const typeOf = ({ type }: Place): string => (inArabic ? (typesAr[type] ?? type) : type);
  return found
    .map((location, index) => {
      const above = location.places.slice(0, -1).reverse().map(nameOf);
      const rest = [typeOf(location), ...above].join(inArabic ? '، ' : ', ');
      return `${index + 1}. ${nameOf(location)} — ${rest}`;
    })
    .join('\n');
}
