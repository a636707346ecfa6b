/**
 * `crm.item.*` does what `crm.lead.*` and `crm.deal.*` do: the answers of both are compared, and what both write. The rules
 * are those of the vendor's page "CRM object fields" (apidocs.bitrix24.com, August 2026).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callCrm } from '../../support/crm-webhook.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
});

const Values = z.record(z.string(), z.unknown());
type Values = z.output<typeof Values>;
const call = async (method: string, body: object) => (await callCrm(sandbox.url, method, body)).result;
const item = async (entityTypeId: number, id: number) =>
  z.object({ item: Values }).parse(await call('crm.item.get', { entityTypeId, id, useOriginalUfNames: 'Y' })).item;
const legacy = async (name: string, id: number) => Values.parse(await call(`${name}.get`, { id }));
const idsOf = async (collection: string, count: number) =>
  z
    .array(z.looseObject({ ID: z.int() }))
    .parse((await sandbox.control.rows('crm', collection, count)).latest)
    .map(({ ID }) => ID);

/** Names of `crm.item.*` by those of the older methods. */
async function itemNames(entityTypeId: number): Promise<Map<string, string>> {
  const { fields } = z
    .object({ fields: z.record(z.string(), z.looseObject({ upperName: z.string() })) })
    .parse(await call('crm.item.fields', { entityTypeId, useOriginalUfNames: 'Y' }));
  return new Map(Object.entries(fields).map(([name, { upperName }]) => [upperName, name]));
}

/** One form for both of a value: texts of numbers become numbers, yes and no become 1 and 0. */
function plain(value: unknown): unknown {
  if (value === '' || value === null || value === undefined) return null;
  if (value === 'Y' || value === 'N') return value === 'Y' ? 1 : 0;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

const Multifield = z.object({ ID: z.string(), TYPE_ID: z.string(), VALUE: z.string(), VALUE_TYPE: z.string() });
const multifieldsOf = (row: Values) =>
  ['PHONE', 'EMAIL'].flatMap(name =>
    z
      .array(Multifield)
      .default([])
      .parse(row[name])
      .map(({ ID, TYPE_ID, VALUE, VALUE_TYPE }) => ({
        id: Number(ID),
        typeId: TYPE_ID,
        valueType: VALUE_TYPE,
        value: VALUE,
      })),
  );

describe.each([
  ['crm.lead', 1, 'leads'],
  ['crm.deal', 2, 'deals'],
] as const)('%s and crm.item.* with the type %i', (name, entityTypeId, collection) => {
  it('return the same fields, dates and multifields', async () => {
    const names = await itemNames(entityTypeId);
    for (const id of await idsOf(collection, 60)) {
      const [old, current] = [await legacy(name, id), await item(entityTypeId, id)];
      const fields = Object.entries(old).filter(([field]) => !['PHONE', 'EMAIL'].includes(field));
      expect(fields.length).toBeGreaterThan(20);
      for (const [field, value] of fields)
        expect([field, plain(current[names.get(field) ?? ''])]).toEqual([field, plain(value)]);
      if (name === 'crm.lead') expect(current.fm).toEqual(multifieldsOf(old));
    }
  });

  it('list the same records, changed since a time or in some pipelines', async () => {
    const changed = '2026-01-01T00:00:00+03:00';
    const conditions: [object, object][] = [[{ '>=DATE_MODIFY': changed }, { '>=updatedTime': changed }]];
    if (name === 'crm.deal') conditions.push([{ '@CATEGORY_ID': [0, 1] }, { '@categoryId': [0, 1] }]);
    else conditions.push([{ ORIGINATOR_ID: 'none' }, { '=originatorId': 'none' }]);
    for (const [filter, itemFilter] of conditions) {
      const old = await callCrm(sandbox.url, `${name}.list`, { filter, select: ['ID'] });
      const current = await callCrm(sandbox.url, 'crm.item.list', { entityTypeId, filter: itemFilter, select: ['id'] });
      const oldIds = z.array(z.object({ ID: z.string() })).parse(old.result);
      const { items } = z.object({ items: z.array(z.object({ id: z.int() })) }).parse(current.result);
      expect([current.total, items.map(({ id }) => id)]).toEqual([old.total, oldIds.map(({ ID }) => Number(ID))]);
    }
  });
});

describe('leads written by both', () => {
  const stored = async (id: number) => {
    const { ID: _, DATE_CREATE: __, DATE_MODIFY: ___, ...row } = await legacy('crm.lead', id);
    const contacts = multifieldsOf(row).map(({ id: ____, ...contact }) => contact);
    return { ...row, PHONE: contacts, EMAIL: [] };
  };
  const added = async (fields: object, itemFields: object) => {
    const old = z.int().parse(await call('crm.lead.add', { fields: { TITLE: 'Villa', ...fields } }));
    const parameters = { entityTypeId: 1, useOriginalUfNames: 'Y', fields: { title: 'Villa', ...itemFields } };
    const { item: current } = z
      .object({ item: z.looseObject({ id: z.int() }) })
      .parse(await call('crm.item.add', parameters));
    return { old, current: current.id };
  };

  it('are equal when they are new, and after a change, which adds contacts', async () => {
    const phone = { VALUE: '+971501230001', VALUE_TYPE: 'WORK' };
    const itemPhone = { typeId: 'PHONE', value: '+971501230001', valueType: 'WORK' };
    const { old, current } = await added(
      { NAME: 'Sara', SOURCE_ID: 'WEB', UTM_SOURCE: 'sms', PHONE: [phone], UF_CRM_CONSENT: 1, UF_CRM_COUNTRY: 'AE' },
      { name: 'Sara', sourceId: 'WEB', utmSource: 'sms', fm: [itemPhone], UF_CRM_CONSENT: 'Y', UF_CRM_COUNTRY: 'AE' },
    );
    expect(await stored(current)).toEqual(await stored(old));
    await call('crm.lead.update', {
      id: old,
      fields: { STATUS_ID: 'JUNK', COMMENTS: '', PHONE: [{ ...phone, VALUE: '+971501230002' }] },
    });
    const fields = { stageId: 'JUNK', comments: '', fm: [{ ...itemPhone, id: 1, value: '+971501230002' }] };
    await call('crm.item.update', { entityTypeId: 1, id: current, fields });
    expect(await stored(current)).toEqual(await stored(old));
    expect((await item(1, current)).fm).toHaveLength(2);
  });

  it('have the amount of their product rows, unless it is set by hand', async () => {
    const { latest } = await sandbox.control.rows('crm', 'product-rows', 5);
    const Rows = z.array(z.object({ leadId: z.int(), rows: z.array(z.looseObject({ PRICE: z.number() })) }));
    const [{ leadId = 0, rows = [] } = {}] = Rows.parse(latest);
    const calculated = rows.reduce((sum, { PRICE }) => sum + PRICE, 0);
    const change = (fields: object) => call('crm.item.update', { entityTypeId: 1, id: leadId, fields });
    await change({ opportunity: 5 });
    expect(await item(1, leadId)).toMatchObject({ opportunity: calculated });
    await change({ opportunity: 5, isManualOpportunity: 'Y' });
    expect(await item(1, leadId)).toMatchObject({ opportunity: 5 });
    await change({ opportunity: '', isManualOpportunity: 'N' });
    expect(await item(1, leadId)).toMatchObject({ opportunity: calculated });
  });
});

describe('product rows', () => {
  it('are the same by both methods', async () => {
    const { latest } = await sandbox.control.rows('crm', 'product-rows', 20);
    for (const { leadId } of z.array(z.looseObject({ leadId: z.int() })).parse(latest)) {
      const old = z.array(Values).parse(await call('crm.lead.productrows.get', { id: leadId }));
      const filter = { '=ownerType': 'L', '=ownerId': leadId };
      const { productRows } = z
        .object({ productRows: z.array(Values) })
        .parse(await call('crm.item.productrow.list', { filter }));
      const camelCase = (name: string) =>
        name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      const expected = old.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), plain(value)])),
      );
      const plainRows = productRows.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
      );
      expect(plainRows).toEqual(expected);
    }
  });

  it('need the owner, and a lead that does not exist has none', async () => {
    expect(await callCrm(sandbox.url, 'crm.item.productrow.list', {})).toMatchObject({
      status: 400,
      error: 'REQUIRED_ARG_MISSING',
    });
    const filter = { '=ownerType': 'L', '=ownerId': 7 };
    expect(await call('crm.item.productrow.list', { filter })).toEqual({ productRows: [] });
  });
});

describe('the strict rules of crm.item.*', () => {
  const anyLead = async () => (await idsOf('leads', 1))[0] ?? 0;

  it('multifields are returned only with all fields', async () => {
    const list = async (select: string[]) =>
      z
        .object({ items: z.array(Values) })
        .parse(await call('crm.item.list', { entityTypeId: 1, select }))
        .items.some(row => 'fm' in row);
    expect([await list([]), await list(['*']), await list(['id', 'fm']), await list(['*', 'id'])]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('a boolean is true for Y and true only', async () => {
    const id = await anyLead();
    const parameters = { entityTypeId: 1, id, useOriginalUfNames: 'Y' };
    for (const [given, kept] of [
      ['Y', 'Y'],
      [1, 'N'],
      [true, 'Y'],
      ['1', 'N'],
    ]) {
      await call('crm.item.update', { ...parameters, fields: { UF_CRM_CONSENT: given } });
      expect(await item(1, id)).toMatchObject({ UF_CRM_CONSENT: kept });
    }
  });

  it('an id among the fields is an error, and nothing is saved without a change', async () => {
    const id = await anyLead();
    const before = await item(1, id);
    expect(
      await callCrm(sandbox.url, 'crm.item.update', { entityTypeId: 1, id, fields: { id, title: 'x' } }),
    ).toMatchObject({ status: 400, error_description: expect.stringContaining('read-only') });
    await call('crm.item.update', { entityTypeId: 1, id, fields: { title: before.title } });
    expect(await item(1, id)).toEqual(before);
  });
});
