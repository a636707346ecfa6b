/** The CRM's listings: items of a smart process, or deals, with a field for the reference that the portals show. */
import { z } from 'zod';
import type { CrmConfig } from './config.ts';
import type { CrmRest } from './rest.ts';
import { Id, IdOrNull } from './wire/scalars.ts';

const Found = z.object({ items: z.array(z.object({ id: Id, assignedById: IdOrNull })) });

type ListingConfig = Pick<CrmConfig, 'CRM_LISTING_ENTITY_TYPE' | 'CRM_LISTING_REFERENCE_FIELD'>;

export function openListings(rest: CrmRest, config: ListingConfig) {
  const { CRM_LISTING_ENTITY_TYPE: entityTypeId, CRM_LISTING_REFERENCE_FIELD: field } = config;
  return {
    /** The responsible users of the listings with this reference, of the newest listing first; empty while listings are not configured. */
    async ownersOf(reference: string): Promise<number[]> {
      if (entityTypeId === undefined || field === undefined) return [];
      const { items } = await rest.call({
        class: 'read',
        method: 'crm.item.list',
        parameters: {
          entityTypeId,
          select: ['id', 'assignedById'],
          filter: { [`=${field}`]: reference },
          order: { id: 'DESC' },
          start: -1,
        },
        answer: Found,
      });
      return items.flatMap(({ assignedById }) => assignedById ?? []);
    },
  };
}
