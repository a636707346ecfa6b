/** What a read of the listing portal changes in the local copy of its locations. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { KnownLocation } from '../../core/domain/locations/portal-locations.ts';
import { Location } from '../../core/integrations/listing-portal/location.ts';

/** JSON, so that a held run can carry out exactly these. */
export const PortalChanges = z.object({
  put: z.array(Location),
  gone: z.array(z.int()),
  /** Of those put, how many are new, or are there again. */
  created: z.int(),
  updated: z.int(),
  matched: z.int(),
});
export type PortalChanges = z.infer<typeof PortalChanges>;

/**
 * @param known what the copy has of the part that was read
 * @param read all that the portal has of it
 */
export function portalChanges(known: readonly KnownLocation[], read: readonly Location[]): PortalChanges {
  const before = new Map(known.map(location => [location.id, location]));
  const changes: PortalChanges = { put: [], gone: [], created: 0, updated: 0, matched: 0 };
  for (const location of read) {
    const old = before.get(location.id);
    const latest = old ? withKnownArabic(location, old) : location;
    const isThere = old !== undefined && !old.gone;
    if (isThere && isDeepStrictEqual({ ...latest, gone: false }, old)) {
      changes.matched += 1;
      continue;
    }
    changes[isThere ? 'updated' : 'created'] += 1;
    changes.put.push(latest);
  }
  const there = new Set(read.map(({ id }) => id));
  changes.gone = known.filter(({ id, gone }) => !gone && !there.has(id)).map(({ id }) => id);
  return changes;
}

/** The Arabic names come with a second search, which may leave some out: a name once learnt is kept. */
function withKnownArabic(location: Location, old: KnownLocation): Location {
  const known = new Map(old.places.map(({ id, nameAr }) => [id, nameAr]));
  const places = location.places.map(place => ({
    ...place,
    nameAr: place.nameAr ?? known.get(place.id) ?? null,
  }));
  return { ...location, nameAr: location.nameAr ?? old.nameAr, places };
}
