/** Tests that the simulated CRM behaves like the vendor's: typing, paging and both error formats. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callCrm } from '../../support/crm-webhook.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();

afterEach(() => sandbox.control.reset('crm'));

const post = (method: string, body?: object, secret?: string) => callCrm(sandbox.url, method, body, secret);

describe('lists', () => {
  it('of legacy methods return every scalar as text, 50 rows a page, with the start of the next page', async () => {
    const { result, total, next } = await post('crm.deal.list', { select: ['ID', 'OPPORTUNITY', 'CATEGORY_ID'] });
    expect(total).toBe(3_200);
    expect(next).toBe(50);
    const rows = z.array(z.record(z.string(), z.string().nullable())).parse(result);
    expect(rows).toHaveLength(50);
    expect(rows[0]).toEqual({
      ID: expect.stringMatching(/^\d+$/),
      OPPORTUNITY: expect.stringMatching(/^\d+\.\d\d$/),
      CATEGORY_ID: expect.stringMatching(/^[012]$/),
    });
    expect((await post('crm.deal.list', { start: 3_150 })).next).toBeUndefined();
  });

  it('of crm.item return numbers and camel-case names', async () => {
    const { result } = await post('crm.item.list', { entityTypeId: 2, select: ['id', 'opportunity', 'assignedById'] });
    expect(result).toMatchObject({ items: expect.any(Array) });
    const { items } = z.object({ items: z.array(z.record(z.string(), z.number().nullable())) }).parse(result);
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(['assignedById', 'id', 'opportunity']);
  });

  it('with start=-1 have no count and no next page', async () => {
    const { total, next, result } = await post('crm.deal.list', { start: -1 });
    expect([total, next]).toEqual([0, undefined]);
    expect(result).toHaveLength(50);
  });

  it('read by id return every row once', async () => {
    await sandbox.control.settings('crm', { callLimit: false });
    const ids: number[] = [];
    for (let last = 0, page = 50; page === 50; last = ids.at(-1) ?? 0) {
      const { result } = await post('crm.item.list', {
        entityTypeId: 1222,
        select: ['id'],
        order: { id: 'ASC' },
        filter: { '>id': last },
        start: -1,
      });
      const { items } = z.object({ items: z.array(z.object({ id: z.number() })) }).parse(result);
      ids.push(...items.map(({ id }) => id));
      page = items.length;
    }
    expect(ids.length).toBe((await sandbox.control.rows('crm', 'locations')).count);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('of users contain dismissed users unless filtered out', async () => {
    expect((await post('user.get', {})).total).toBe(300);
    expect((await post('user.get', { FILTER: { ACTIVE: true } })).total).toBe(240);
    const { result } = await post('user.get', { FILTER: { ACTIVE: false } });
    expect(z.array(z.looseObject({ ID: z.string(), ACTIVE: z.literal(false) })).parse(result)).toHaveLength(50);
  });

  it('accept the same parameters as query, form and JSON', async () => {
    const encoded = 'filter[>ID]=2000&filter[CATEGORY_ID]=1&select[]=ID&order[ID]=DESC';
    const url = `${sandbox.url}/crm/rest/1/sandbox/crm.deal.list.json`;
    const answers = await Promise.all([
      fetch(`${url}?${encoded}`),
      fetch(url, { method: 'POST', body: new URLSearchParams(encoded) }),
      fetch(url, {
        method: 'POST',
        body: '{"filter":{">ID":2000,"CATEGORY_ID":1},"select":["ID"],"order":{"ID":"DESC"}}',
      }),
    ]);
    const [query, form, json] = await Promise.all(
      answers.map(async response => z.object({ result: z.unknown() }).parse(await response.json()).result),
    );
    expect(query).toHaveLength(50);
    expect(form).toEqual(query);
    expect(json).toEqual(query);
  });
});

describe('errors', () => {
  it.each([
    ['a legacy method without an id', 'crm.lead.get', {}, 400, '', 'ID is not defined or invalid.'],
    ['a legacy method with an unknown id', 'crm.lead.get', { id: 7 }, 400, '', 'Not found'],
    ['a filter that is not a map', 'crm.deal.list', { filter: 'ID' }, 400, '', "Parameter 'filter' must be array."],
    ['an unknown item', 'crm.item.get', { entityTypeId: 1222, id: 1 }, 400, 'NOT_FOUND', 'Item not found'],
    ['an unknown smart process', 'crm.item.get', { entityTypeId: 999, id: 1 }, 400, 'NOT_FOUND', 'SPA not found'],
    [
      'an unknown field in an item filter',
      'crm.item.list',
      { entityTypeId: 1222, filter: { nope: 1 } },
      400,
      'INVALID_ARG_VALUE',
      expect.stringContaining('nope'),
    ],
    [
      'a value of another type',
      'crm.item.add',
      { entityTypeId: 1222, fields: { ufCrm8Parent: 'Dubai' } },
      400,
      'CRM_FIELD_ERROR_VALUE_NOT_VALID',
      expect.stringContaining('ufCrm8Parent'),
    ],
    ['an unknown method', 'crm.lead.obtain', {}, 404, 'ERROR_METHOD_NOT_FOUND', 'Method not found!'],
  ])('of %s', async (_title, method, body, status, error, description) =>
    expect(await post(method, body)).toMatchObject({ status, error, error_description: description }),
  );

  it('of a wrong secret is 401 NO_AUTH_FOUND', async () =>
    expect(await post('profile', {}, 'guess')).toMatchObject({ status: 401, error: 'NO_AUTH_FOUND' }));
});

describe('a lead', () => {
  it('is created with phones, found by origin and by phone, and updated by field', async () => {
    const { result: id } = await post('crm.lead.add', {
      fields: {
        NAME: 'Amal',
        PHONE: [{ VALUE: '+971501234567', VALUE_TYPE: 'MOBILE' }],
        UF_CRM_CONSENT: 'Y',
        ORIGINATOR_ID: 'eventbrite',
        ORIGIN_ID: 'order-1',
        NO_SUCH_FIELD: 'ignored',
      },
      params: { REGISTER_SONET_EVENT: 'N' },
    });
    expect(id).toEqual(expect.any(Number));

    const found = await post('crm.lead.list', { filter: { ORIGINATOR_ID: 'eventbrite', ORIGIN_ID: 'order-1' } });
    expect(found.result).toMatchObject([{ ID: String(id) }]);
    expect((await post('crm.duplicate.findbycomm', { type: 'PHONE', values: ['+971 50 123 4567'] })).result).toEqual({
      LEAD: [id],
    });
    expect((await post('crm.duplicate.findbycomm', { type: 'PHONE', values: ['+1'] })).result).toEqual([]);

    expect((await post('crm.lead.update', { id, fields: { STATUS_ID: 'JUNK' } })).result).toBe(true);
    expect((await post('crm.lead.get', { id })).result).toMatchObject({
      ID: String(id),
      NAME: 'Amal',
      STATUS_ID: 'JUNK',
      STATUS_SEMANTIC_ID: 'F',
      HAS_PHONE: 'Y',
      HAS_EMAIL: 'N',
      UF_CRM_CONSENT: '1',
      PHONE: [{ VALUE: '+971501234567', VALUE_TYPE: 'MOBILE', TYPE_ID: 'PHONE' }],
    });
    const item = await post('crm.item.get', { entityTypeId: 1, id });
    expect(item.result).toMatchObject({
      item: { id, ufCrmConsent: 'Y', fm: [{ typeId: 'PHONE', value: '+971501234567' }] },
    });
  });

  it('adds each phone that is sent, even a duplicate', async () => {
    const phones = ['+971501234567', '+971507654321', '+971507654321'].map(VALUE => ({ VALUE }));
    const { result: id } = await post('crm.lead.add', { fields: { PHONE: phones.slice(0, 1) } });
    await post('crm.lead.update', { id, fields: { PHONE: phones.slice(1) } });
    const { PHONE } = z
      .object({ PHONE: z.array(z.object({ ID: z.string(), VALUE: z.string() })) })
      .parse((await post('crm.lead.get', { id })).result);
    expect(PHONE.map(({ VALUE }) => ({ VALUE }))).toEqual(phones);
    expect(new Set(PHONE.map(({ ID }) => ID)).size).toBe(3);
  });

  it('shares phones with other leads in the seed data', async () => {
    const { latest } = await sandbox.control.rows('crm', 'leads');
    const phones = z
      .array(z.looseObject({ PHONE: z.array(z.looseObject({ VALUE: z.string() })) }))
      .parse(latest)
      .flatMap(({ PHONE }) => PHONE.map(({ VALUE }) => VALUE));
    const found = await Promise.all(
      phones.slice(0, 40).map(phone => post('crm.duplicate.findbycomm', { type: 'PHONE', values: [phone] })),
    );
    const shared = found.filter(({ result }) => z.object({ LEAD: z.array(z.number()) }).parse(result).LEAD.length > 1);
    expect(shared.length).toBeGreaterThan(0);
  });
});

describe('a user', () => {
  it('is dismissed with ACTIVE=N', async () => {
    expect((await post('user.update', { ID: 1, ACTIVE: 'N' })).result).toBe(true);
    expect((await post('user.get', { ID: 1 })).result).toMatchObject([{ ID: '1', ACTIVE: false }]);
  });
});
