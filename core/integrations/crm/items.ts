/** Items of smart processes, and products: records whose fields are passed on as the CRM returns them. */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { picked, rowOf } from '../kit/row.ts';
import { optional, withRejectionReason } from './rejection.ts';
import type { CrmRest } from './rest.ts';
import { Id, IdOrNull, Money, Text, TextOrNull, YesNo } from './wire/scalars.ts';

export const CrmItem = z.object({
  id: Id.describe('The item’s id.'),
  entityTypeId: Id.describe('The item’s type.'),
  title: Text.describe('Title in the CRM’s lists.'),
  fields: z
    .record(z.string(), z.unknown())
    .describe('With the CRM’s names, such as `assignedById` or `ufCrm8PortalId`.'),
});
export type CrmItem = z.output<typeof CrmItem>;

/** A disabled field of the type has the value null. */
const WireItem = rowOf(CrmItem, ({ id, entityTypeId, title, ...fields }) => ({ id, entityTypeId, title, fields }));

/** `PROPERTY_98`: `{value}` or a list of them. */
const Property = z.union([
  z.object({ value: z.unknown() }).transform(({ value }) => value),
  z.array(z.object({ value: z.unknown() }).transform(({ value }) => value)),
  z.null(),
]);

export const Product = z.object({
  id: Id.describe('The product’s id.'),
  name: Text.describe('Name.'),
  code: TextOrNull.describe('Name in addresses.'),
  active: YesNo.describe('Whether it is for sale.'),
  price: Money.describe('Decimal.'),
  currency: TextOrNull.describe('ISO 4217.'),
  description: TextOrNull.describe('Text about the product.'),
  sectionId: IdOrNull.describe('The section of the catalogue.'),
  properties: z.record(z.string(), z.unknown()).describe('Custom properties of the CRM account, by id.'),
});
export type Product = z.output<typeof Product>;

const productNames = {
  id: 'ID',
  name: 'NAME',
  code: 'CODE',
  active: 'ACTIVE',
  price: 'PRICE',
  currency: 'CURRENCY_ID',
  description: 'DESCRIPTION',
  sectionId: 'SECTION_ID',
};
const WireProduct = rowOf(Product, row => ({ ...picked(row, productNames), properties: propertiesOf(row) }));

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

/**
 * Products have no `crm.item.*`. The replacement of `crm.product.*`, `catalog.product.*` (apidocs.bitrix24.com, crm/products),
 * needs the permission `catalog` and the id of the catalogue, and returns prices by another method.
 */
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
