/** What the listing portal is asked about its locations, and a page of its answer. */
import type { PortalLocation } from './wire.ts';

export interface LocationQuery {
  /** At least two characters; the portal answers no search without it. */
  term: string;
  type?: string;
  /** Names from the root down. */
  parent?: readonly string[];
  id?: number;
  /** Of the names in the answer. */
  language?: 'en' | 'ar';
  /** From 1. */
  page?: number;
  /** At most 100. */
  perPage?: number;
}

export interface LocationPage {
  /** Of all pages together. */
  total: number;
  locations: PortalLocation[];
}

export type SearchLocations = (query: LocationQuery) => Promise<LocationPage>;
