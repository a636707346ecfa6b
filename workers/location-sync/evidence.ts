/** What other sources know about the listing portal's locations: evidence that its searches returned all of them. */
import type { CrmSide } from '../../core/domain/crm/locations.ts';
import { normalTitle } from '../../core/domain/locations/plan-crm.ts';
import type { PortalLocations } from '../../core/domain/locations/portal-locations.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { KnownPlaces } from '../../core/integrations/listing-portal/crawl.ts';
import type { ListingPortal } from '../../core/integrations/listing-portal/system.ts';
import type { JobContext } from '../../core/jobs/handler.ts';

export interface EvidenceOptions {
  /** The part of the portal that is read; undefined: all cities. */
  city: string | undefined;
  /** The CRM's locations. */
  crm: readonly CrmSide[];
  warn: JobContext['warn'];
}

interface Known {
  /** Own name; '' if it is not known. */
  name: string;
  /** Whether the location is known to be in the part of the portal that is read. */
  isInPart: boolean;
}

/** By portal id. */
type Evidence = ReadonlyMap<number, Known>;

/** The locations of the own listings, and those of the CRM with a portal id. */
export async function gatherEvidence(portal: ListingPortal, { city, crm, warn }: EvidenceOptions): Promise<Evidence> {
  const evidence = new Map<number, Known>();
  for (const id of await listedLocations(portal, warn)) evidence.set(id, { name: '', isInPart: city === undefined });
  for (const { portalId, title } of crm) {
    if (portalId !== null && /^\d{1,9}$/.test(portalId))
      evidence.set(Number(portalId), { name: title.split(', ')[0] ?? '', isInPart: isIn(city, title) });
  }
  return evidence;
}

/** @param title such as `Marina Gate 1, Dubai Marina, Dubai` */
const isIn = (city: string | undefined, title: string): boolean =>
  city === undefined || normalTitle(title.split(', ').at(-1) ?? '') === normalTitle(city);

/** None if the account may not read listings. */
async function listedLocations(portal: ListingPortal, warn: JobContext['warn']): Promise<ReadonlySet<number>> {
  try {
    return await portal.listedLocations();
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.failure.kind !== 'rejected') throw error;
    const detail = `The locations of the own listings are not compared with those that were found. ${error.message}`;
    warn({ pointer: '', code: 'listings-not-read', detail });
    return new Set();
  }
}

/** Each is looked up by a call of its own. */
const maxLookUps = 100;

/** The locations of the evidence and of the mirror that were not found; when there are many, from all parts of the list. */
export const missingAmong =
  (evidence: Evidence, mirror: PortalLocations, city: string | undefined): KnownPlaces['missing'] =>
  async isFound => {
    const known = [...evidence].flatMap(([id, { isInPart }]) => (isInPart ? [id] : []));
    const missing = [...new Set([...known, ...(await mirror.presentIds(city))])].filter(id => !isFound(id));
    const step = Math.max(1, missing.length / maxLookUps);
    const some = Array.from(
      { length: Math.min(missing.length, maxLookUps) },
      (_, index) => missing[Math.floor(index * step)] ?? 0,
    );
    const mirrored = new Map((await mirror.known(some)).map(({ id, name }) => [id, name]));
    return new Map(some.map(id => [id, mirrored.get(id) ?? evidence.get(id)?.name ?? '']));
  };

/** Names of places that contain others, in the CRM and in the mirror. */
export const parentsIn =
  (crm: readonly CrmSide[], mirror: PortalLocations, city: string | undefined): KnownPlaces['parents'] =>
  async () => {
    const inCrm = crm.filter(({ title }) => isIn(city, title)).flatMap(({ title }) => title.split(', ').slice(1));
    return [...new Set([...inCrm, ...(await mirror.parentNames(city))])].filter(name => name !== '');
  };
