/**
 * Adds locations to the CRM exactly once, across retries and processes: each addition is an effect in the ledger, and
 * an effect with an unknown outcome is looked up in the CRM by the portal's id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Effects, Execution } from '../../effects/ledger.ts';
import type { AddedLocation, NewCrmLocation } from '../../integrations/crm/locations.ts';
import type { Crm } from '../../integrations/crm/system.ts';
import type { CrmLocationType } from '../../integrations/crm/types.ts';
import { callContext } from '../../integrations/kit/call-context.ts';
import { retryDelayMs, retryLimit } from '../../integrations/kit/resilience.ts';
import { beforeSending, hasFinished, UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { type Location, titleOf } from '../../integrations/listing-portal/location.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { MirroredLocation } from '../crm/locations.ts';

interface AddLocationServices {
  crm: Crm;
  effects: Effects;
}

export interface Addition {
  location: Location;
  /** The CRM's id of the parent; null for a city. */
  parentId: number | null;
}

/** `existed`: the CRM had a location with this portal id before. */
export type AdditionOutcome = { crmId: number; existed: boolean } | { rejected: string };

const Created = z.object({ id: z.int(), existed: z.boolean().default(false) });
type Created = z.output<typeof Created>;

/**
 * @param additions at most as many as one CRM request carries
 * @returns the outcomes in the order of the additions
 * @throws UpstreamError when the CRM fails; a repeat is safe
 */
export async function addLocations(
  services: AddLocationServices,
  additions: readonly Addition[],
): Promise<AdditionOutcome[]> {
  const { priority, retries, signal } = callContext();
  const outcomes = new Map<Addition, AdditionOutcome>();
  for (let attempt = 1; ; attempt += 1) {
    const open = additions.filter(addition => !outcomes.has(addition));
    const failures = await addOpen(services, open, outcomes);
    if (failures.length === 0) return additions.flatMap(addition => outcomes.get(addition) ?? []);
    const failure = failures.find(error => !canLookUp(error));
    if (failure || !retries || attempt > retryLimit(priority)) throw failure ?? failures[0];
    await sleep(retryDelayMs(attempt, failures[0], priority), undefined, signal ? { signal } : {});
  }
}

/** @returns the failures of the additions that have no outcome yet */
async function addOpen(
  { crm, effects }: AddLocationServices,
  open: readonly Addition[],
  outcomes: Map<Addition, AdditionOutcome>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  let planned = open.map(addition => planAddition(crm, addition));
  while (planned.length > 0) {
    const all = planned;
    const ended = await effects.onceEach(all, keys =>
      addMissing(
        crm,
        all.filter(({ key }) => keys.has(key)),
      ),
    );
    const ends = await Promise.all(ended.map(one => endOf(crm, one)));
    const deleted: PlannedAddition[] = [];
    for (const [index, { addition, key }] of planned.entries()) {
      const end = ends[index] ?? { failure: undefined };
      if ('failure' in end) failures.push(end.failure);
      else if ('deletedId' in end) deleted.push(planAddition(crm, addition, `${key}:after-${end.deletedId}`));
      else outcomes.set(addition, end);
    }
    planned = deleted;
  }
  return failures;
}

type PlannedAddition = ReturnType<typeof planAddition>;

function planAddition(crm: Crm, addition: Addition, key = `crm:location:${addition.location.id}`) {
  const wanted = newLocation(addition);
  return {
    addition,
    wanted,
    key,
    kind: 'crm-location-added',
    system: 'crm',
    result: Created,
    async find() {
      const [id] = (await crm.locations.idsByPortalId([wanted.portalId])).get(wanted.portalId) ?? [];
      return id === undefined ? undefined : { id };
    },
  };
}

/** A location that was deleted in the CRM after the ledger recorded it is added again, as another effect. */
async function endOf(
  crm: Crm,
  ended: { result: Created; repeated: boolean } | { error: unknown },
): Promise<AdditionOutcome | { deletedId: number } | { failure: unknown }> {
  if ('error' in ended) return isRejection(ended.error) ? { rejected: ended.error.message } : { failure: ended.error };
  const { id, existed } = ended.result;
  try {
    if (!ended.repeated || (await crm.locations.exists(id))) return { crmId: id, existed };
    return { deletedId: id };
  } catch (failure) {
    return { failure };
  }
}

type Executions = Map<string, Execution<z.input<typeof Created>>>;

/** Asks the CRM for the portal ids first: a location that its list did not show must not be added again. */
async function addMissing(crm: Crm, planned: readonly PlannedAddition[]): Promise<Executions> {
  const known = await crm.locations
    .idsByPortalId(planned.map(({ wanted }) => wanted.portalId))
    .catch(error => Promise.reject(beforeSending(error)));
  const executions: Executions = new Map();
  const missing: PlannedAddition[] = [];
  for (const one of planned) {
    const [id] = known.get(one.wanted.portalId) ?? [];
    if (id === undefined) missing.push(one);
    else executions.set(one.key, { value: { id, existed: true } });
  }
  const added = missing.length === 0 ? [] : await addAll(crm, missing);
  for (const [index, { key }] of missing.entries()) executions.set(key, executionOf(added[index]));
  return executions;
}

const addAll = (crm: Crm, missing: readonly PlannedAddition[]): Promise<AddedLocation[]> =>
  crm.locations.addSome(missing.map(({ wanted }) => wanted)).catch(failed => missing.map(() => ({ failed })));

function executionOf(added: AddedLocation | undefined): Execution<z.input<typeof Created>> {
  if (!added) return { error: new Error('the CRM gave no outcome for a location') };
  if ('id' in added) return { value: { id: added.id } };
  return { error: 'failed' in added ? added.failed : new ServiceError('invalid-input', added.rejected) };
}

/** Failures after which the CRM may have added the location and has finished: the ledger looks it up before a repeat. */
const canLookUp = (error: unknown): boolean =>
  error instanceof UpstreamError && error.transient && error.maybeExecuted && hasFinished(error);

/** The CRM's columns of a portal location. */
const newLocation = ({ location, parentId }: Addition): NewCrmLocation & { portalId: string } => ({
  parentId,
  type: crmTypes.get(location.type) ?? 'property',
  title: titleOf(location.places),
  nameAr: location.nameAr,
  portalId: String(location.id),
});

/** The mirror's row of a location that was just added to the CRM. */
export const mirrorRow = (addition: Addition, id: number): MirroredLocation => {
  const { parentId, type, title, portalId } = newLocation(addition);
  return { id, parentId, type, name: addition.location.name, title, portalId, modifiedAt: new Date() };
};

/** The CRM has four levels; the portal's other types, such as streets and compounds, become properties. */
const crmTypes: ReadonlyMap<string, CrmLocationType> = new Map([
  ...['city', 'region', 'governorate', 'province', 'town'].map(type => [type, 'city'] as const),
  ...['community', 'district', 'area', 'village'].map(type => [type, 'community'] as const),
  ...['subcommunity', 'subdistrict'].map(type => [type, 'sub-community'] as const),
]);

const isRejection = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'invalid-input';
