/**
 * Adds locations to the CRM, each once, however often it is tried and whoever tries: the ledger has an entry for each,
 * and what it does not know the end of is looked up in the CRM by the portal's id.
 */
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { Crm } from '../../integrations/crm/client.ts';
import type { NewCrmLocation } from '../../integrations/crm/locations.ts';
import type { CrmLocationType } from '../../integrations/crm/types.ts';
import { type Location, titleOf } from '../../integrations/listing-portal/location.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { gatherAdds } from './gather-adds.ts';

export interface AddParts {
  crm: Crm;
  effects: Effects;
  jobId?: string;
}

export interface Addition {
  location: Location;
  /** The CRM's id of what it lies in; null for a city. */
  parentId: number | null;
}

export type Added = { crmId: number } | { refused: string };

const Created = z.object({ id: z.int() });

/**
 * As many as one request of the CRM carries, at most.
 * @returns in the order of the additions
 * @throws UpstreamError when the CRM fails; then repeat
 */
export async function addLocations(parts: AddParts, additions: readonly Addition[]): Promise<Added[]> {
  const adds = gatherAdds(additions.length, parts.crm);
  const settled = await Promise.allSettled(
    additions.map(addition => adds.member(add => addOnce(parts, addition, add))),
  );
  return settled.map(outcome => {
    if (outcome.status === 'fulfilled') return { crmId: outcome.value };
    if (isRefusal(outcome.reason)) return { refused: outcome.reason.message };
    throw outcome.reason;
  });
}

const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'invalid-input';

/** One that the ledger knows and somebody has deleted in the CRM since is added again, as another effect. */
async function addOnce(
  { crm, effects, jobId }: AddParts,
  { location, parentId }: Addition,
  add: (location: NewCrmLocation) => Promise<number>,
): Promise<number> {
  const portalId = String(location.id);
  const wanted = newLocation(location, parentId);
  let key = `crm:location:${portalId}`;
  for (;;) {
    const { result, repeated } = await effects.once({
      ...{ key, kind: 'crm-location-added', system: 'crm', jobId, result: Created },
      async lookUp() {
        const [found] = await crm.locations.findByPortalId(portalId);
        return found && { id: found.id };
      },
      act: async () => ({ id: await add(wanted) }),
    });
    if (!repeated || (await crm.locations.get(result.id))) return result.id;
    key = `${key}:after-${result.id}`;
  }
}

export const newLocation = (location: Location, parentId: number | null): NewCrmLocation => ({
  parentId,
  type: crmType(location),
  title: titleOf(location.places),
  nameAr: location.nameAr,
  portalId: String(location.id),
});

const crmTypes: ReadonlyMap<string, CrmLocationType> = new Map([
  ...['city', 'region', 'governorate', 'province', 'town'].map(type => [type, 'city'] as const),
  ...['community', 'district', 'area', 'village'].map(type => [type, 'community'] as const),
  ...['subcommunity', 'subdistrict'].map(type => [type, 'sub-community'] as const),
]);

/** The CRM has four levels; what the portal has besides, such as streets and compounds, is a property. */
const crmType = ({ type }: Location): CrmLocationType => crmTypes.get(type) ?? 'property';
