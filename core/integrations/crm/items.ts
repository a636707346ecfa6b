/** Items of smart processes, and products: records whose fields are passed on as the CRM returns them. */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { optional, withRejectionReason } from './rejection.ts';
import type { CrmRest } from './rest.ts';
import { Id, IdOrNull, Money, Text, TextOrNull, YesNo } from './wire/scalars.ts';

const WireItem = z
  .looseObject({ id: Id, entityTypeId: Id, title: Text })
  .transform(({ id, entityTypeId, title, ...fields }) => ({
    id,
    entityTypeId,
    title,
    /** The other fields by the CRM's names (`assignedById`, `ufCrm8PortalId`); null for fields that the type has disabled. */
    fields,
  }));
export type CrmItem = z.output<typeof WireItem>;

/** `PROPERTY_98`: `{value}` or a list of them. */
const Property = z.union([
  z.object({ value: z.unknown() }).transform(({ value }) => value),
  z.array(z.object({ value: z.unknown() }).transform(({ value }) => value)),
  z.null(),
]);

const WireProduct = z
  .looseObject({
    ID: Id,
    NAME: Text,
    CODE: TextOrNull,
    ACTIVE: YesNo,
    PRICE: Money,
    CURRENCY_ID: TextOrNull,
    DESCRIPTION: TextOrNull,
    SECTION_ID: IdOrNull.default(null),
  })
  .transform(row => ({
    id: row.ID,
    name: row.NAME,
    code: row.CODE,
    active: row.ACTIVE,
    price: row.PRICE,
    currency: row.CURRENCY_ID,
    description: row.DESCRIPTION,
    sectionId: row.SECTION_ID,
    /** The account's own properties, by id. */
    properties: propertiesOf(row),
  }));
export type Product = z.output<typeof WireProduct>;

const OneItem = z.object({ item: WireItem });

export function openItems(rest: CrmRest) {
  return {
    /** @returns undefined when there is no such item or type */
    async get(entityTypeId: number, id: number): Promise<CrmItem | undefined> {
      const parameters = { entityTypeId, id };
      const found = rest.call({ class: 'read', method: 'crm.item.get', parameters, answer: OneItem });
      return (await optional(found))?.item;
    },

    /**
     * A create. The CRM has no lookup for it, unless the type has a field for a key of ours.
     * @throws ServiceError invalid-input; not-found when there is no such type
     */
    async add(entityTypeId: number, fields: Record<string, unknown>): Promise<CrmItem> {
      const parameters = { entityTypeId, fields };
      const call = rest.call({ class: 'create', method: 'crm.item.add', parameters, answer: OneItem });
      const added = await withRejectionReason(optional(call));
      if (!added) throw new ServiceError('not-found', `The CRM has no item type ${entityTypeId}.`);
      return added.item;
    },
  };
}

export function openProducts(rest: CrmRest) {
  return {
    get: (id: number): Promise<Product | undefined> =>
      optional(rest.call({ class: 'read', method: 'crm.product.get', parameters: { id }, answer: WireProduct })),
  };
}

function propertiesOf(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const id = /^PROPERTY_(\d+)$/.exec(name)?.[1];
      return id === undefined ? [] : [[id, Property.catch(null).parse(value)]];
    }),
  );
}
