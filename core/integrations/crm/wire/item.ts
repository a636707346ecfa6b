/** Items and products as the CRM writes them. */
import { z } from 'zod';
import { Id, IdOrNull, Money, Text, TextOrNull, YesNo } from './scalars.ts';

export const WireItem = z
  .looseObject({ id: Id, entityTypeId: Id, title: Text })
  .transform(({ id, entityTypeId, title, ...fields }) => ({
    id,
    entityTypeId,
    title,
    /** The others, as the CRM names them (`assignedById`, `ufCrm8PortalId`); those switched off for the type are null. */
    fields,
  }));
export type CrmItem = z.output<typeof WireItem>;

export const WireProduct = z
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
    /** The account's own properties, by their ids. */
    properties: propertiesOf(row),
  }));
export type Product = z.output<typeof WireProduct>;

/** `PROPERTY_98`: {value} or a list of such. */
const Property = z.union([
  z.object({ value: z.unknown() }).transform(({ value }) => value),
  z.array(z.object({ value: z.unknown() }).transform(({ value }) => value)),
  z.null(),
]);

const propertiesOf = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const id = /^PROPERTY_(\d+)$/.exec(name)?.[1];
      return id === undefined ? [] : [[id, Property.catch(null).parse(value)]];
    }),
  );
