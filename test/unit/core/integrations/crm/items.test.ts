/** Items of smart processes, and products. */
import { describe, expect, it } from 'vitest';
import { openItems, openProducts } from '../../../../../core/integrations/crm/items.ts';
import { crmRest } from '../../../../support/crm-rest.ts';

const item = { id: 9, entityTypeId: 1222, title: null, assignedById: 1, ufCrm8PortalId: '50', disabled: null };
const missing = { error: ['NOT_FOUND', 'Item'] as [string, string] };

describe('an item', () => {
  const ours = {
    id: 9,
    entityTypeId: 1222,
    title: '',
    fields: { assignedById: 1, ufCrm8PortalId: '50', disabled: null },
  };

  it('has its fields by the CRM’s names', async () => {
    const { rest, sent } = crmRest({ 'crm.item.get': ({ id }) => (id === 9 ? { result: { item } } : missing) });
    expect(await openItems(rest).get(1222, 9)).toEqual(ours);
    expect(await openItems(rest).get(1222, 8)).toBeUndefined();
    expect(sent[0]).toEqual({ class: 'read', method: 'crm.item.get', parameters: { entityTypeId: 1222, id: 9 } });
  });

  it('is added', async () => {
    const { rest, sent } = crmRest({ 'crm.item.add': () => ({ result: { item } }) });
    expect(await openItems(rest).add(1222, { title: 'x' })).toEqual(ours);
    expect(sent[0]).toEqual({
      class: 'create',
      method: 'crm.item.add',
      parameters: { entityTypeId: 1222, fields: { title: 'x' } },
    });
  });

  it('is not added to an unknown type, or when the CRM rejects it', async () => {
    const { rest } = crmRest({ 'crm.item.add': () => missing });
    await expect(openItems(rest).add(1, {})).rejects.toMatchObject({
      code: 'not-found',
      message: 'The CRM has no item type 1.',
    });
    const { rest: denying } = crmRest({ 'crm.item.add': () => ({ error: ['X', 'No title'] }) });
    await expect(openItems(denying).add(1, {})).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('a product', () => {
  const read = async (row: object) => {
    const { rest } = crmRest({ 'crm.product.get': ({ id }) => (id === 7 ? { result: row } : missing) });
    return await openProducts(rest).get(7);
  };
  const plain = { ID: '7', NAME: 'Fee', ACTIVE: 'Y', PRICE: '10' };

  it('has our names', async () =>
    expect(
      await read({ ...plain, CODE: 'F', CURRENCY_ID: 'AED', DESCRIPTION: '', SECTION_ID: '3', CATALOG_ID: '1' }),
    ).toEqual({
      id: 7,
      name: 'Fee',
      code: 'F',
      active: true,
      price: '10.00',
      currency: 'AED',
      description: null,
      sectionId: 3,
      properties: {},
    }));

  it('has the values of its properties, by id', async () => {
    const properties = {
      PROPERTY_1: { valueId: '8', value: 'a' },
      PROPERTY_2: [{ value: 'b' }, { value: 3 }],
      PROPERTY_3: null,
      PROPERTY_4: 'text',
      XPROPERTY_5: { value: 'x' },
      PROPERTY_6X: { value: 'x' },
      PROPERTY_72: { value: null },
    };
    expect((await read({ ...plain, ...properties }))?.properties).toEqual({
      1: 'a',
      2: ['b', 3],
      3: null,
      4: null,
      72: null,
    });
  });

  it('is undefined when there is none', async () => {
    const { rest } = crmRest({ 'crm.product.get': () => missing });
    expect(await openProducts(rest).get(8)).toBeUndefined();
  });
});
