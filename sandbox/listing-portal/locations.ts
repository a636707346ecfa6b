/** `GET /v1/locations`: searches locations, in English or Arabic; there is no list of all. */
import { z } from 'zod';
import type { LocationIndex } from './location-index.ts';
import type { PortalLocation } from './portal-locations.ts';
import { type InvalidInput, invalidInput } from './problem.ts';

const locationTypes = [
  'REGION',
  'GOVERNORATE',
  'CITY',
  'TOWN',
  'VILLAGE',
  'DISTRICT',
  'STREET',
  'COMMUNITY',
  'SUBCOMMUNITY',
  'PROJECT',
  'TOWER',
  'COMPOUND',
  'AREA',
  'PROVINCE',
  'SUBDISTRICT',
] as const;

const wholeNumber = z.string().regex(/^\d+$/).transform(Number);
export const PageQuery = z.object({
  page: wholeNumber.pipe(z.number().min(1)).default(1),
  perPage: wholeNumber.pipe(z.number().min(1).max(100)).default(50),
});
const LocationsQuery = PageQuery.extend({
  search: z.string().trim().min(2),
  'filter[id]': z
    .string()
    .transform(ids => ids.split(','))
    .pipe(z.array(wholeNumber))
    .optional(),
  'filter[type]': z.enum(locationTypes).optional(),
  'filter[parent]': z.string().optional(),
});
/** Several public clients send an id without `search`, and report that it works. */
const LenientQuery = LocationsQuery.extend({ search: z.string().trim().default('') });

export interface LocationsRequest {
  query: unknown;
  language: string | undefined;
}

export interface LocationsSettings {
  lenientSearch: boolean;
  repeatedPage: number;
  ownNameOnly: boolean;
  messyData: boolean;
}

export function searchLocations(
  index: LocationIndex,
  { lenientSearch, repeatedPage, ownNameOnly, messyData }: LocationsSettings,
  { query, language }: LocationsRequest,
): object {
  const params = parsed(lenientSearch ? LenientQuery : LocationsQuery, query);
  const found = index.find({
    search: params.search,
    ownNameOnly,
    ids: params['filter[id]'] ?? [],
    type: params['filter[type]'],
    parent: params['filter[parent]']?.split(',') ?? [],
  });
  const isArabic = /^ar\b/i.test(language ?? '');
  const { rows, pagination } = paged(found, params, repeatedPage);
  const data = rows.map(location => renderLocation(location, isArabic));
  return { data: messyData ? data.map(messyLocation) : data, pagination };
}

const Fields = z.record(z.string(), z.unknown()).catch({});

export function parsed<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  const outcome = schema.safeParse(query);
  if (outcome.success) return outcome.data;
  throw invalidInput(
    outcome.error.issues.map(({ path, message }): InvalidInput => {
      const pointer = `/${path.join('/')}`;
      const isMissing = Fields.parse(query)[path.join('/')] === undefined;
      return isMissing
        ? { detail: 'This field is required', pointer, type: 'RequiredField' }
        : { detail: message, pointer };
    }),
  );
}

interface Paging {
  page: number;
  perPage: number;
}

/** @param repeatedPage this page repeats the rows of the page before it; 0: none does */
export function paged<Row>(all: readonly Row[], { page, perPage }: Paging, repeatedPage = 0) {
  const shownPage = page === repeatedPage && page > 1 ? page - 1 : page;
  const totalPages = Math.ceil(all.length / perPage);
  return {
    rows: all.slice((shownPage - 1) * perPage, shownPage * perPage),
    pagination: {
      total: all.length,
      page,
      perPage,
      totalPages,
      nextPage: page < totalPages ? page + 1 : null,
      prevPage: page > 1 ? page - 1 : null,
    },
  };
}

/** One tower in 50 has an empty name, and one has no tree. */
function messyLocation(location: ReturnType<typeof renderLocation>): object {
  if (location.type !== 'TOWER') return location;
  if (location.id % 50 === 7) return { ...location, name: '' };
  return location.id % 50 === 8 ? { ...location, tree: null } : location;
}

/** The tree goes from the city to the place itself. */
function renderLocation({ id, type, name, nameAr, tree, lat, lng }: PortalLocation, isArabic: boolean) {
  return {
    id,
    type,
    name: isArabic ? nameAr : name,
    tree: tree.map(place => ({ id: place.id, type: place.type, name: isArabic ? place.nameAr : place.name })),
    coordinates: { lat, lng },
  };
}
