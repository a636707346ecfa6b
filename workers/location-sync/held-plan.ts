/** The plan of a location sync as JSON: stored when the run is held, and as the checkpoint while it is applied. */
import { z } from 'zod';
import { CrmPlan } from '../../core/domain/locations/plan-crm.ts';
import type { PortalLocations } from '../../core/domain/locations/portal-locations.ts';
import { Coordinates, Location, Place, parentOf } from '../../core/integrations/listing-portal/location.ts';
import { chunks } from '../../core/values/chunks.ts';

/** Each place once: with the whole path of each location, the plan of 200,000 is larger than PostgreSQL stores. */
const StoredLocation = Place.extend({ parentId: z.int().nullable(), coordinates: Coordinates.nullable() });
type StoredLocation = z.infer<typeof StoredLocation>;

export const stored = ({ places, ...location }: Location): StoredLocation => ({
  ...location,
  parentId: parentOf({ places })?.id ?? null,
});

/** An earlier version stored locations with their path. */
const PutLocation = z.union([StoredLocation, Location.transform(stored)]);

export const HeldPlan = z.discriminatedUnion('stage', [
  z.object({
    /** The read of the CRM's locations was held; the rest is planned after its release. */
    stage: z.literal('crm-copy'),
    acquisition: z.unknown(),
  }),
  z.object({
    stage: z.literal('apply'),
    /** Start of the portal read, and the number of locations it returned. */
    asOf: z.iso.datetime(),
    read: z.int(),
    /** The changes of the mirror. */
    portal: z.object({
      /** The created ones first. Parsed one by one when they are put: a copy of all would need as much memory again. */
      put: z.array(z.custom<z.input<typeof PutLocation>>()),
      gone: z.array(z.int()),
      /** Number of `put` locations that are new, or no longer gone. */
      created: z.int(),
      updated: z.int(),
      matched: z.int(),
    }),
    /** Null for an update of the mirror only; `read`: number of CRM locations. */
    crm: CrmPlan.extend({ read: z.int() }).nullable(),
  }),
]);
export type HeldPlan = z.infer<typeof HeldPlan>;
export type CrmCopyPlan = Extract<HeldPlan, { stage: 'crm-copy' }>;
export type ApplyPlan = Extract<HeldPlan, { stage: 'apply' }>;

const parentsAtOnce = 1_000;

/**
 * The locations with their paths, made one by one.
 * @param mirror has the parents that are not among the locations
 */
export async function withPlaces(
  put: ApplyPlan['portal']['put'],
  mirror: Pick<PortalLocations, 'some'>,
): Promise<Iterable<Location>> {
  const given = new Map(put.map(location => [location.id, location]));
  const parents = new Set(put.flatMap(one => PutLocation.parse(one).parentId ?? []).filter(id => !given.has(id)));
  /** The paths of parents. */
  const pathsOf = new Map<number, Place[]>();
  for (const ids of chunks(parents, parentsAtOnce))
    for (const { id, places } of await mirror.some(ids)) pathsOf.set(id, places);

  const pathTo = (id: number): Place[] => {
    const known = pathsOf.get(id);
    if (known) return known;
    const above = given.get(id);
    const path = above ? located(above).places : [];
    pathsOf.set(id, path);
    return path;
  };
  const located = (one: z.input<typeof PutLocation>): Location => {
    const { parentId, coordinates, ...place } = PutLocation.parse(one);
    return { ...place, coordinates, places: [...(parentId === null ? [] : pathTo(parentId)), place] };
  };
  return (function* () {
    for (const one of put) yield located(one);
  })();
}
