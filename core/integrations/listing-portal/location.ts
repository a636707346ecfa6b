/** A location of the listing portal with the places from the root down to it, and the search for locations. */
import { z } from 'zod';
import type { PortalLocation } from './wire.ts';

export const Place = z.object({
  id: z.int().describe('The listing portal’s id.'),
  type: z.string().describe('Such as `city`, `community`, `subcommunity`, `tower`.'),
  name: z.string().describe('English name.'),
  nameAr: z.string().nullable().describe('Null when the portal has no Arabic name.'),
});
export type Place = z.infer<typeof Place>;

export const Coordinates = z.object({ lat: z.number(), lng: z.number() });

export const Location = Place.extend({
  places: z.array(Place).min(1).describe('From the root to the location itself.'),
  coordinates: Coordinates.nullable(),
});
export type Location = z.infer<typeof Location>;

/** The next higher place; undefined for a root. */
export const parentOf = ({ places }: Pick<Location, 'places'>): Place | undefined => places.at(-2);

/** @param names from the root down @returns the CRM's title, such as `Marina Gate 1, Dubai Marina, Dubai` */
export const titleOf = (names: readonly { name: string }[]): string =>
  names
    .map(({ name }) => name)
    .reverse()
    .join(', ');

/** The portal's types of places; places in the UAE have the first four. */
export const locationTypes = [
  'city',
  'community',
  'subcommunity',
  'tower',
  'region',
  'governorate',
  'town',
  'village',
  'district',
  'street',
  'project',
  'compound',
  'area',
  'province',
  'subdistrict',
] as const;

export interface LocationQuery {
  /** At least two characters; the portal requires it. */
  term: string;
  type?: string;
  /** From the root down. */
  parent?: readonly string[];
  id?: number;
  /** Language of the names in the answer. */
  language?: 'en' | 'ar';
  /** From 1. */
  page?: number;
  /** At most 100. */
  perPage?: number;
}

export interface LocationPage {
  /** The number of rows of all pages. */
  total: number;
  locations: PortalLocation[];
  /** Ids of the rows of this page that could not be read; absent: none. */
  unreadable?: readonly number[];
}

export type SearchLocations = (query: LocationQuery) => Promise<LocationPage>;
