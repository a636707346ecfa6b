/** Reads the listing portal's locations completely, compares them with the mirror, and checks the changes. */
import { isDeepStrictEqual } from 'node:util';
import type { KnownLocation, PortalLocations } from '../../core/domain/locations/portal-locations.ts';
import { type Location, titleOf } from '../../core/integrations/listing-portal/location.ts';
import type { ListingPortal } from '../../core/integrations/listing-portal/system.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { mirrorLimits, reasonsToHold } from '../../core/sync/plan-guard.ts';
import { chunks } from '../../core/values/chunks.ts';
import { wholeNumber } from '../../core/values/number-text.ts';
import { type EvidenceOptions, gatherEvidence, missingAmong, parentsIn } from './evidence.ts';

/** The mirror is read in parts, because a second copy of all locations would take as much memory as the first. */
const knownAtOnce = 1_000;

export type PortalRead = Awaited<ReturnType<typeof readPortal>>;

/**
 * @returns all of the portal's locations, parents before children
 * @throws ServiceError upstream-failed if the portal did not return all locations it announces
 */
export async function readPortal(
  portal: ListingPortal,
  mirror: PortalLocations,
  { progress, ...options }: EvidenceOptions & { progress: (done: number, total: number) => void },
) {
  const asOf = new Date();
  const { city, crm } = options;
  const evidence = await gatherEvidence(portal, options);
  const known = { missing: missingAmong(evidence, mirror, city), parents: parentsIn(crm, mirror, city) };
  const { locations, unreadable, missed, warnings } = await portal.crawlLocations({ city, progress, known });
  if (warnings.length > 0)
    throw new ServiceError(
      'upstream-failed',
      `The listing portal was not read completely, and nothing was changed. ${warnings.slice(0, 5).join(' ')}`,
    );
  const comparison = compareWith(locations, new Set(unreadable));
  const mirrored = await mirror.ids(city);
  for (const ids of chunks(mirrored, knownAtOnce)) comparison.add(await mirror.known(ids));
  const changes = comparison.end();
  const confirmed = locations.filter(({ id }) => evidence.has(id)).length - missed.length;
  const heldBecause = [
    ...whyToHold(locations.length, changes),
    ...missedReasons(missed),
    ...(mirrored.length === 0 && locations.length > 0 ? [firstReadReason(locations.length, confirmed)] : []),
  ];
  return { city, asOf, locations, unreadable, changes, heldBecause };
}

/** What a read of the portal changes in the mirror. */
export interface PortalChanges {
  /** New, or no longer gone. */
  created: Location[];
  updated: Location[];
  matched: number;
  gone: { id: number; title: string }[];
}

/**
 * @param read all of the portal's locations of the part that was read
 * @param unreadable ids of others that exist: the mirror keeps its version of them
 */
export function compareWith(read: readonly Location[], unreadable: ReadonlySet<number> = new Set()) {
  const unseen = new Map(read.map(location => [location.id, location]));
  const changes: PortalChanges = { created: [], updated: [], matched: 0, gone: [] };
  return {
    /** @param known locations of the mirror in the same part, each once */
    add(known: readonly KnownLocation[]): void {
      for (const old of known) {
        const location = unseen.get(old.id);
        unseen.delete(old.id);
        if (!location) {
          if (!old.gone && !unreadable.has(old.id)) changes.gone.push({ id: old.id, title: titleOf(old.places) });
          continue;
        }
        const latest = withKnownArabic(location, old);
        if (old.gone) changes.created.push(latest);
        else if (isDeepStrictEqual({ ...latest, gone: false }, old)) changes.matched += 1;
        else changes.updated.push(latest);
      }
    },
    end: (): PortalChanges => ({ ...changes, created: [...changes.created, ...unseen.values()] }),
  };
}

/** Keeps known Arabic names: they come from a second search, which may leave some out. */
function withKnownArabic(location: Location, old: KnownLocation): Location {
  if (location.places.every(({ nameAr }) => nameAr !== null)) return location;
  const known = new Map(old.places.map(({ id, nameAr }) => [id, nameAr]));
  const places = location.places.map(place => ({
    ...place,
    nameAr: place.nameAr ?? known.get(place.id) ?? null,
  }));
  return { ...location, nameAr: location.nameAr ?? old.nameAr, places };
}

const maxNamed = 5;

/** Other locations, which nothing but the portal knows, are missing as well then. */
function missedReasons(missed: readonly Location[]): string[] {
  if (missed.length === 0) return [];
  const named = missed.slice(0, maxNamed).map(({ id, places }) => `${id} (${titleOf(places)})`);
  return [
    `The searches of the listing portal did not return ${missed.length} or more locations that it has, such as ${named.join(', ')}: others may be missing as well.`,
  ];
}

/** A first read has nothing to compare with: an operator decides whether it is complete. */
const firstReadReason = (read: number, confirmed: number): string =>
  `This is the first read of the listing portal: it returned ${wholeNumber(read)} locations, of which the CRM and the own listings confirm ${wholeNumber(confirmed)}. Compare the number with the portal, then release the job.`;

function whyToHold(read: number, { matched, updated, gone }: PortalChanges): string[] {
  const target = matched + updated.length + gone.length;
  const lastRead = target === 0 ? undefined : target;
  const sources = [{ title: 'The listing portal', read, lastRead }];
  return reasonsToHold({ target, changed: updated.length, deleted: gone.length, sources }, mirrorLimits);
}
