/**
 * Adds locations to the CRM exactly once, across retries and processes: each addition is an effect in the ledger, and
 * an effect with an unknown outcome is looked up in the CRM by the portal's id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { AddedLocation, NewCrmLocation } from '../../integrations/crm/locations.ts';
import type { Crm } from '../../integrations/crm/system.ts';
import type { CrmLocationType } from '../../integrations/crm/types.ts';
import { callContext } from '../../integrations/kit/call-context.ts';
import { retryDelayMs, retryLimit } from '../../integrations/kit/resilience.ts';
import { beforeSending, hasFinished, UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { type Location, titleOf } from '../../integrations/listing-portal/location.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { deferred } from '../../runtime/timeout.ts';
import type { MirroredLocation } from '../crm/locations.ts';

interface AddLocationServices {
  crm: Crm;
  effects: Effects;
  jobId?: string;
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
  services: AddLocationServices,
  open: readonly Addition[],
  outcomes: Map<Addition, AdditionOutcome>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  const batch = createAddBatch(open.length, services.crm);
  const add = async (addition: Addition) => {
    try {
      const { id, existed } = await batch.run(send => addOnce(services, addition, send));
      outcomes.set(addition, { crmId: id, existed });
    } catch (error) {
      if (isRejection(error)) outcomes.set(addition, { rejected: error.message });
      else failures.push(error);
    }
  };
  await Promise.all(open.map(add));
  return failures;
}

/** Failures after which the CRM may have added the location and has finished: the ledger looks it up before a repeat. */
const canLookUp = (error: unknown): boolean =>
  error instanceof UpstreamError && error.transient && error.maybeExecuted && hasFinished(error);

/** The CRM's columns of a portal location. */
const newLocation = (location: Location, parentId: number | null): NewCrmLocation => ({
  parentId,
  type: crmTypes.get(location.type) ?? 'property',
  title: titleOf(location.places),
  nameAr: location.nameAr,
  portalId: String(location.id),
});

/** The mirror's row of a location that was just added to the CRM. */
export const mirrorRow = ({ location, parentId }: Addition, id: number): MirroredLocation => {
  const { type, title, portalId } = newLocation(location, parentId);
  return { id, parentId, type, name: location.name, title, portalId, modifiedAt: new Date() };
};

/** The CRM has four levels; the portal's other types, such as streets and compounds, become properties. */
const crmTypes: ReadonlyMap<string, CrmLocationType> = new Map([
  ...['city', 'region', 'governorate', 'province', 'town'].map(type => [type, 'city'] as const),
  ...['community', 'district', 'area', 'village'].map(type => [type, 'community'] as const),
  ...['subcommunity', 'subdistrict'].map(type => [type, 'sub-community'] as const),
]);

const isRejection = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'invalid-input';

/** Adds a location again, as another effect, if it was deleted in the CRM after the ledger recorded it. */
async function addOnce(
  { crm, effects, jobId }: AddLocationServices,
  { location, parentId }: Addition,
  add: Add,
): Promise<Created> {
  const portalId = String(location.id);
  const wanted = newLocation(location, parentId);
  let key = `crm:location:${portalId}`;
  for (;;) {
    const { result, repeated } = await effects.once({
      ...{ key, kind: 'crm-location-added', system: 'crm', jobId, result: Created },
      async find() {
        const [id] = (await crm.locations.idsByPortalId([portalId])).get(portalId) ?? [];
        return id === undefined ? undefined : { id };
      },
      execute: () => add(wanted),
    });
    if (!repeated || (await crm.locations.exists(result.id))) return result;
    key = `${key}:after-${result.id}`;
  }
}

type Add = (location: NewCrmLocation) => Promise<Created>;

type Waiting = ReturnType<typeof deferred<Created>> & { location: NewCrmLocation };

/**
 * Collects the additions of concurrent effects into one CRM request, sent once each effect has either asked for its
 * addition or ended without one.
 * @param size number of `run` calls to wait for
 */
function createAddBatch(size: number, crm: Crm) {
  const waiting: Waiting[] = [];
  let pending = size;

  function settleOne(): void {
    pending -= 1;
    if (pending === 0 && waiting.length > 0) void addMissing(crm, waiting);
  }

  return {
    /** @param work adds at most one location */
    async run<T>(work: (add: Add) => Promise<T>): Promise<T> {
      let hasAsked = false;
      const add: Add = location => {
        hasAsked = true;
        const added = deferred<Created>();
        waiting.push({ ...added, location });
        settleOne();
        return added.promise;
      };
      try {
        return await work(add);
      } finally {
        if (!hasAsked) settleOne();
      }
    },
  };
}

/** Asks the CRM for the portal ids first: a location that its list did not show must not be added again. */
async function addMissing(crm: Crm, waiting: readonly Waiting[]): Promise<void> {
  const portalIdOf = ({ location: { portalId } }: Waiting) => portalId ?? '';
  try {
    const known = await crm.locations.idsByPortalId(waiting.map(portalIdOf));
    const missing = waiting.filter(each => {
      const [id] = known.get(portalIdOf(each)) ?? [];
      if (id !== undefined) each.resolve({ id, existed: true });
      return id === undefined;
    });
    if (missing.length > 0) await send(crm, missing);
  } catch (error) {
    for (const { reject } of waiting) reject(beforeSending(error));
  }
}

async function send(crm: Crm, waiting: readonly Waiting[]): Promise<void> {
  let answered: readonly AddedLocation[] = [];
  try {
    await crm.locations.addMany(
      waiting.map(({ location }) => location),
      async added => {
        answered = [...answered, ...added];
      },
    );
  } catch (error) {
    for (const { reject } of waiting.slice(answered.length)) reject(error);
  }
  for (const [index, outcome] of answered.entries()) {
    if ('id' in outcome) waiting[index]?.resolve({ id: outcome.id, existed: false });
    else
      waiting[index]?.reject(
        'failed' in outcome ? outcome.failed : new ServiceError('invalid-input', outcome.rejected),
      );
  }
}
