/** The CRM's locations. */
import { z } from 'zod';
import type { CrmConfig } from './config.ts';
import { type Chunk, type ReadOptions, readList } from './read-list.ts';
import { isMissing, plainSentence, unlessMissing, withReasons } from './refusal.ts';
import { type Command, type CrmRest, commandsABatch } from './rest.ts';
import {
  type CrmLocation,
  type CrmLocationChange,
  locationFields,
  locationForm,
  type NewCrmLocation,
  wireLocation,
} from './wire/location.ts';
import { Id } from './wire/scalars.ts';

export type { CrmLocation, CrmLocationChange, NewCrmLocation } from './wire/location.ts';

export type AddedLocation = { id: number } | { refused: string };

export function openLocations(rest: CrmRest, config: CrmConfig) {
  const entityTypeId = config.CRM_LOCATION_ENTITY_TYPE;
  const form = locationForm(config);
  const Location = wireLocation(form);
  const One = z.object({ item: Location });
  const Some = z.object({ items: z.array(Location) });
  const select = ['id', 'updatedTime', ...Object.values(form.names)];

  const find = async (filter: Record<string, string>): Promise<CrmLocation[]> => {
    const { items } = await rest.call({
      class: 'read',
      method: 'crm.item.list',
      parameters: { entityTypeId, select, filter, order: { id: 'ASC' } },
      answer: Some,
    });
    return items;
  };

  const commandFor = (location: NewCrmLocation, index: number): Command => ({
    key: `add${index}`,
    method: 'crm.item.add',
    parameters: { entityTypeId, fields: locationFields(form, location) },
  });

  async function addBatch(locations: readonly NewCrmLocation[]): Promise<AddedLocation[]> {
    const outcomes = await rest.batch('create', locations.map(commandFor));
    return outcomes.map(outcome =>
      'error' in outcome
        ? { refused: plainSentence(outcome.error.message) }
        : { id: z.object({ item: z.object({ id: Id }) }).parse(outcome.result).item.id },
    );
  }

  return {
    /** By id, 2,500 a request. */
    read: ({ changedSince, ...options }: ReadOptions = {}): AsyncGenerator<Chunk<CrmLocation>> =>
      readList(
        rest,
        {
          title: 'locations',
          method: 'crm.item.list',
          parameters: { entityTypeId },
          filter: changedSince ? { '>=updatedTime': changedSince.toISOString() } : {},
          select,
          idField: 'id',
          rowsIn: 'items',
          row: Location,
        },
        options,
      ),

    async get(id: number): Promise<CrmLocation | undefined> {
      const parameters = { entityTypeId, id };
      const found = rest.call({ class: 'read', method: 'crm.item.get', parameters, answer: One });
      return (await unlessMissing(found))?.item;
    },

    /** Up to 50, by id. */
    findByPortalId: (portalId: string) => find({ [`=${form.names.portalId}`]: portalId }),

    /** Up to 50 of exactly this title, by id. */
    findByTitle: (title: string) => find({ '=title': title }),

    /** A create: look up with `findByPortalId` before trying again. @throws ServiceError invalid-input */
    async add(location: NewCrmLocation): Promise<CrmLocation> {
      const parameters = { entityTypeId, fields: locationFields(form, location) };
      const added = rest.call({ class: 'create', method: 'crm.item.add', parameters, answer: One });
      return (await withReasons(added)).item;
    },

    /**
     * Creates, 50 a request and in order; `done` is told after each request, so that what was added is known when a
     * later one fails.
     */
    async addMany(
      locations: readonly NewCrmLocation[],
      done: (added: AddedLocation[], from: number) => Promise<void>,
    ): Promise<void> {
      for (let from = 0; from < locations.length; from += commandsABatch)
        await done(await addBatch(locations.slice(from, from + commandsABatch)), from);
    },

    /**
     * Up to 50, in one request and in order.
     * @returns for each whether there is such a location, or why the CRM refused the change
     */
    async updateSome(
      changes: readonly { id: number; change: CrmLocationChange }[],
    ): Promise<('updated' | 'not-found' | { refused: string })[]> {
      const outcomes = await rest.batch(
        'set',
        changes.map(({ id, change }, index) => ({
          key: `set${index}`,
          method: 'crm.item.update',
          parameters: { entityTypeId, id, fields: locationFields(form, change) },
        })),
      );
      return outcomes.map(outcome => {
        if (!('error' in outcome)) return 'updated';
        return isMissing(outcome.error) ? 'not-found' : { refused: plainSentence(outcome.error.message) };
      });
    },

    /** @returns false when there is no such location @throws ServiceError invalid-input */
    async update(id: number, change: CrmLocationChange): Promise<boolean> {
      const parameters = { entityTypeId, id, fields: locationFields(form, change) };
      const changed = rest.call({ class: 'set', method: 'crm.item.update', parameters, answer: z.unknown() });
      return (await withReasons(unlessMissing(changed.then(() => true)))) ?? false;
    },
  };
}
