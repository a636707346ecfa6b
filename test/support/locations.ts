/** Locations of the listing portal for tests. */
import type { Location, Place } from '../../core/integrations/listing-portal/location.ts';

const types = ['city', 'community', 'subcommunity', 'tower'] as const;

export interface Given {
  id: number;
  /** Names from the city down: `Dubai > Dubai Marina`. */
  path: string;
  type?: string;
  nameAr?: string;
}

/** The parents of a location come before it in the list. */
export function locationTree(given: readonly Given[]): Location[] {
  const known = new Map<string, Location>();
  return given.map(({ id, path, type, nameAr = null }) => {
    const names = path.split(' > ');
    const name = names.at(-1) ?? '';
    const parent = known.get(names.slice(0, -1).join(' > '));
    const place: Place = { id, type: type ?? types[names.length - 1] ?? 'tower', name, nameAr };
    const location = { ...place, places: [...(parent?.places ?? []), place], coordinates: null };
    known.set(path, location);
    return location;
  });
}
