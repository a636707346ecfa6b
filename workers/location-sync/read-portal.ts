/** Reads the listing portal to its end, and tells what that changes in the local copy and whether it looks like a fault. */
import type { KnownLocation, PortalLocations } from '../../core/domain/locations/portal-locations.ts';
import type { ListingPortal } from '../../core/integrations/listing-portal/client.ts';
import type { Location } from '../../core/integrations/listing-portal/location.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { type GuardLimits, reasonsToHold, usualLimits } from '../../core/sync/plan-guard.ts';
import { type PortalChanges, portalChanges } from './portal-changes.ts';

export interface PortalRead {
  city: string | undefined;
  asOf: Date;
  /** All that the portal has, parents before children. */
  locations: Location[];
  changes: PortalChanges;
  heldBecause: string[];
}

/** The copy follows the portal wherever it goes; only what vanishes is a danger. */
const copyLimits: GuardLimits = { ...usualLimits, maxChangedShare: 1 };

/** @throws ServiceError upstream-failed when the portal did not give all that it says it has */
export async function readPortal(
  portal: ListingPortal,
  copy: PortalLocations,
  city: string | undefined,
  progress: (done: number, total: number) => void,
): Promise<PortalRead> {
  const asOf = new Date();
  const { locations, doubts } = await portal.crawlLocations({ city, progress });
  if (doubts.length > 0) {
    const told = `The listing portal was not read to its end, and nothing was changed. ${doubts.slice(0, 5).join(' ')}`;
    throw new ServiceError('upstream-failed', told);
  }
  const known = await copy.all(city);
  const changes = portalChanges(known, locations);
  return { city, asOf, locations, changes, heldBecause: whyToHold(known, locations, changes) };
}

function whyToHold(
  known: readonly KnownLocation[],
  read: readonly Location[],
  { gone, updated }: PortalChanges,
): string[] {
  const target = known.filter(location => !location.gone).length;
  const source = {
    title: 'The listing portal',
    read: read.length,
    lastRead: target === 0 ? undefined : target,
    complete: true,
  };
  return reasonsToHold({ target, changed: updated, deleted: gone.length, sources: [source] }, copyLimits);
}
