/** The CRM's locations. */
import { z } from 'zod';
import type { UpstreamError } from '../kit/upstream-error.ts';
import { plainText } from '../kit/vendor-text.ts';
import { settled } from './commands.ts';
import type { LocationConfig } from './config.ts';
import { type Chunk, type ReadOptions, readList } from './read-list.ts';
import { commandRejected, isNotFound, optional, resultOf, withRejectionReason } from './rejection.ts';
import type { CrmRest } from './rest.ts';
import {
  type CrmLocation,
  type CrmLocationChange,
  type LocationForm,
  locationFields,
  locationForm,
  type NewCrmLocation,
  wireLocation,
} from './wire/location.ts';
import { Id, timeText } from './wire/scalars.ts';

export type { CrmLocation, NewCrmLocation } from './wire/location.ts';

/** `failed`: a transient error; look up with `findByPortalId` before a retry when it may have been executed. */
export type AddedLocation = { id: number } | { rejected: string } | { failed: UpstreamError };

interface Connection {
  rest: CrmRest;
  entityTypeId: number;
  form: LocationForm;
  Location: z.ZodType<CrmLocation>;
  select: readonly string[];
}

const FoundIds = z.object({ items: z.array(z.object({ id: Id })) });
const AddedItem = z.object({ item: z.object({ id: Id }) });

export function openLocations(rest: CrmRest, config: LocationConfig) {
  const form = locationForm(config);
  const connection: Connection = {
    rest,
    form,
    entityTypeId: config.CRM_LOCATION_ENTITY_TYPE,
    Location: wireLocation(form),
    select: ['id', 'updatedTime', ...Object.values(form.names)],
  };
  return { ...readers(connection), ...writers(connection) };
}

function readers({ rest, entityTypeId, form, Location, select }: Connection) {
  const byPortalId = (portalId: string) => ({ [`=${form.names.portalId}`]: portalId });

  async function find(filter: Record<string, string>): Promise<CrmLocation[]> {
    const { items } = await rest.call({
      class: 'read',
      method: 'crm.item.list',
      parameters: { entityTypeId, select, filter, order: { id: 'ASC' } },
      answer: z.object({ items: z.array(Location) }),
    });
    return items;
  }

  return {
    /** Ordered by id, 2,500 a request. */
    read: ({ changedSince, ...options }: ReadOptions = {}): AsyncGenerator<Chunk<CrmLocation>> =>
      readList(
        rest,
        {
          title: 'locations',
          record: 'location',
          parameters: { entityTypeId },
          filter: changedSince ? { '>=updatedTime': timeText(changedSince) } : {},
          select,
          row: Location,
        },
        options,
      ),

    async get(id: number): Promise<CrmLocation | undefined> {
      const answer = z.object({ item: Location });
      const parameters = { entityTypeId, id };
      const found = rest.call({ class: 'read', method: 'crm.item.get', parameters, answer });
      return (await optional(found))?.item;
    },

    /** Also of a location with fields in an unexpected form. */
    async exists(id: number): Promise<boolean> {
      const parameters = { entityTypeId, id };
      const found = rest.call({ class: 'read', method: 'crm.item.get', parameters, answer: z.unknown() });
      return (await optional(found.then(() => true))) ?? false;
    },

    /**
     * One request for up to 50 portal ids. Reads ids only, so that other fields in an unexpected form hide no location.
     * @returns portal id → ids of the CRM locations that have it, ascending; portal ids without a location are left out
     */
    async idsByPortalId(portalIds: readonly string[]): Promise<Map<string, number[]>> {
      const outcomes = await rest.batch(
        'read',
        portalIds.map((portalId, index) => ({
          key: `find${index}`,
          method: 'crm.item.list',
          parameters: { entityTypeId, select: ['id'], filter: byPortalId(portalId), order: { id: 'ASC' }, start: -1 },
        })),
      );
      const found = new Map<string, number[]>();
      for (const [index, portalId] of portalIds.entries()) {
        const outcome = outcomes[index];
        const ids = outcome && resultOf(outcome, FoundIds)?.items.map(({ id }) => id);
        if (!ids) throw commandRejected(`did not say whether it has the portal id ${portalId}`);
        if (ids.length > 0) found.set(portalId, ids);
      }
      return found;
    },

    /** Up to 50, ordered by id. */
    findByPortalId: (portalId: string) => find(byPortalId(portalId)),

    /** Up to 50 with exactly this title, ordered by id. */
    findByTitle: (title: string) => find({ '=title': title }),
  };
}

function writers(connection: Connection) {
  const { rest, entityTypeId, form, Location } = connection;
  return {
    /** A create: look up with `findByPortalId` before a retry. @throws ServiceError invalid-input */
    async add(location: NewCrmLocation): Promise<CrmLocation> {
      const parameters = { entityTypeId, fields: locationFields(form, location) };
      const answer = z.object({ item: Location });
      const added = rest.call({ class: 'create', method: 'crm.item.add', parameters, answer });
      return (await withRejectionReason(added)).item;
    },

    /** Up to 50, in one request and in order. @returns the outcome of each */
    async addSome(locations: readonly NewCrmLocation[]): Promise<AddedLocation[]> {
      const outcomes = await rest.batch(
        'create',
        locations.map((location, index) => ({
          key: `add${index}`,
          method: 'crm.item.add',
          parameters: { entityTypeId, fields: locationFields(form, location) },
        })),
      );
      return outcomes.map(outcome => {
        if ('failure' in outcome) return { failed: outcome.failure };
        if ('error' in outcome) return { rejected: plainText(outcome.error.message) };
        return { id: AddedItem.parse(outcome.result).item.id };
      });
    },

    /**
     * Up to 50, in one request and in order.
     * @returns the outcome of each, with the CRM's reason when it rejected the change
     * @throws UpstreamError when one of them remains undone after all retries; a repeat is safe
     */
    async updateSome(
      changes: readonly { id: number; change: CrmLocationChange }[],
    ): Promise<('updated' | 'not-found' | { rejected: string })[]> {
      const outcomes = await rest.batch(
        'set',
        changes.map(({ id, change }, index) => ({
          key: `set${index}`,
          method: 'crm.item.update',
          parameters: { entityTypeId, id, fields: locationFields(form, change) },
        })),
      );
      return settled(outcomes).map(outcome => {
        if (!('error' in outcome)) return 'updated';
        return isNotFound(outcome.error) ? 'not-found' : { rejected: plainText(outcome.error.message) };
      });
    },
  };
}
