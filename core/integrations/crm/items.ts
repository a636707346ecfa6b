/** Items of smart processes, and products: records whose fields we hand through as the CRM has them. */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { unlessMissing, withReasons } from './refusal.ts';
import type { CrmRest } from './rest.ts';
import { type CrmItem, type Product, WireItem, WireProduct } from './wire/item.ts';

export type { CrmItem, Product } from './wire/item.ts';

const One = z.object({ item: WireItem });

export function openItems(rest: CrmRest) {
  return {
    /** @returns undefined when there is no such item, or no such type */
    async get(entityTypeId: number, id: number): Promise<CrmItem | undefined> {
      const parameters = { entityTypeId, id };
      const found = rest.call({ class: 'read', method: 'crm.item.get', parameters, answer: One });
      return (await unlessMissing(found))?.item;
    },

    /**
     * A create that the CRM has no look-up for, unless the type has a field for a key of ours.
     * @throws ServiceError invalid-input; not-found when there is no such type
     */
    async add(entityTypeId: number, fields: Record<string, unknown>): Promise<CrmItem> {
      const parameters = { entityTypeId, fields };
      const added = unlessMissing(
        rest.call({ class: 'create', method: 'crm.item.add', parameters, answer: One }),
      );
      const found = await withReasons(added);
      if (!found) throw new ServiceError('not-found', `The CRM has no items of the type ${entityTypeId}.`);
      return found.item;
    },
  };
}

export function openProducts(rest: CrmRest) {
  return {
    get: (id: number): Promise<Product | undefined> =>
      unlessMissing(
        rest.call({ class: 'read', method: 'crm.product.get', parameters: { id }, answer: WireProduct }),
      ),
  };
}
