/** A location of the listing portal as our systems pass it on: itself, and the places from the root down to it. */
import { z } from 'zod';

export const Place = z.object({
  id: z.int().describe('The listing portal’s id.'),
  type: z.string().describe('Such as `city`, `community`, `subcommunity`, `tower`.'),
  name: z.string(),
  nameAr: z.string().nullable().describe('Null when the portal has no Arabic name.'),
});
export type Place = z.infer<typeof Place>;

export const Coordinates = z.object({ lat: z.number(), lng: z.number() });

export const Location = Place.extend({
  places: z.array(Place).min(1).describe('From the root to the location itself.'),
  coordinates: Coordinates.nullable(),
});
export type Location = z.infer<typeof Location>;

/** The location that this one lies in; undefined for a root. */
export const parentOf = ({ places }: Pick<Location, 'places'>): Place | undefined => places.at(-2);

/** From itself to the root, as the CRM titles locations: `Marina Gate 1, Dubai Marina, Dubai`. */
export const titleOf = (names: readonly { name: string }[]): string =>
  names
    .map(({ name }) => name)
    .reverse()
    .join(', ');
