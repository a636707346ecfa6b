/** Reads the listing portal's locations completely, compares them with the mirror, and checks the changes. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { KnownLocation, PortalLocations } from '../../core/domain/locations/portal-locations.ts';
import { Location } from '../../core/integrations/listing-portal/location.ts';
import type { ListingPortal } from '../../core/integrations/listing-portal/system.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { mirrorLimits, reasonsToHold } from '../../core/sync/plan-guard.ts';

/** Stored as JSON with a held run. */
export const PortalChanges = z.object({
  put: z.array(Location),
  gone: z.array(z.int()),
  /** Number of `put` locations that are new, or no longer gone. */
  created: z.int(),
  updated: z.int(),
  matched: z.int(),
});
export type PortalChanges = z.infer<typeof PortalChanges>;

export type PortalRead = Awaited<ReturnType<typeof readPortal>>;

/**
 * @returns all of the portal's locations, parents before children
 * @throws ServiceError upstream-failed if the portal did not return all locations it announces
 */
export async function readPortal(
  portal: ListingPortal,
  mirror: PortalLocations,
  city: string | undefined,
  progress: (done: number, total: number) => void,
) {
  const asOf = new Date();
  const { locations, warnings } = await portal.crawlLocations({ city, progress });
  if (warnings.length > 0)
    throw new ServiceError(
      'upstream-failed',
      `The listing portal was not read completely, and nothing was changed. ${warnings.slice(0, 5).join(' ')}`,
    );
  const known = await mirror.all(city);
  const changes = portalChanges(known, locations);
  return { city, asOf, known, locations, changes, heldBecause: whyToHold(known, locations, changes) };
}

/**
 * @param known the mirror's locations of the part that was read
 * @param read all of the portal's locations of that part
 */
export function portalChanges(known: readonly KnownLocation[], read: readonly Location[]): PortalChanges {
  const before = new Map(known.map(location => [location.id, location]));
  const changes: PortalChanges = { put: [], gone: [], created: 0, updated: 0, matched: 0 };
  for (const location of read) {
    const old = before.get(location.id);
    const latest = old ? withKnownArabic(location, old) : location;
    const isPresent = old !== undefined && !old.gone;
    if (isPresent && isDeepStrictEqual({ ...latest, gone: false }, old)) {
      changes.matched += 1;
      continue;
    }
    changes[isPresent ? 'updated' : 'created'] += 1;
    changes.put.push(latest);
  }
  const present = new Set(read.map(({ id }) => id));
  changes.gone = known.filter(({ id, gone }) => !gone && !present.has(id)).map(({ id }) => id);
  return changes;
}

/** Keeps known Arabic names: they come from a second search, which may leave some out. */
function withKnownArabic(location: Location, old: KnownLocation): Location {
  const known = new Map(old.places.map(({ id, nameAr }) => [id, nameAr]));
  const places = location.places.map(place => ({
    ...place,
    nameAr: place.nameAr ?? known.get(place.id) ?? null,
  }));
  return { ...location, nameAr: location.nameAr ?? old.nameAr, places };
}

function whyToHold(
  known: readonly KnownLocation[],
  read: readonly Location[],
  { gone, updated }: PortalChanges,
): string[] {
  const target = known.filter(location => !location.gone).length;
  const lastRead = target === 0 ? undefined : target;
  const sources = [{ title: 'The listing portal', read: read.length, lastRead }];
  return reasonsToHold({ target, changed: updated, deleted: gone.length, sources }, mirrorLimits);
}
