/** What the CRM receives for leads, and how its answers are read. */
import { describe, expect, it } from 'vitest';
import { CrmConfig, leadSettings, requireSettings } from '../../../../../core/integrations/crm/config.ts';
import { addsContacts, openLeads } from '../../../../../core/integrations/crm/leads.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmRest, rejection } from '../../../../support/crm-rest.ts';
import { crmSettings } from '../../../../support/crm-webhook.ts';

const config = requireSettings(readConfig(CrmConfig, crmSettings), leadSettings);
const row = (id: unknown) => ({
  item: { id, title: 'Villa', createdTime: '2024-09-02T18:37:18+03:00', updatedTime: '2024-09-02T18:37:18+03:00' },
});
const ofLead = { entityTypeId: 1, useOriginalUfNames: 'Y' };
const updated = () => ({ result: { item: {} } });
const missing = { error: ['NOT_FOUND', 'Item not found'] as [string, string] };

function open(methods: Parameters<typeof crmRest>[0]) {
  const { rest, sent } = crmRest(methods);
  return { leads: openLeads(rest, config), sent };
}

describe('one lead', () => {
  it('is read by its id; undefined when there is none', async () => {
    const { leads, sent } = open({ 'crm.item.get': ({ id }) => (id === 7 ? { result: row(7) } : missing) });
    expect(await leads.get(7)).toMatchObject({ id: 7, title: 'Villa' });
    expect(await leads.get(8)).toBeUndefined();
    expect(sent[0]).toEqual({ class: 'read', method: 'crm.item.get', parameters: { ...ofLead, id: 7 } });
  });

  it('is found by the record of another system that it was created from', async () => {
    const found = open({ 'crm.item.list': () => ({ result: { items: [{ id: 7 }, { id: 9 }] } }) });
    expect(await found.leads.findByOrigin({ originatorId: 'events', originId: '1' })).toBe(7);
    expect(found.sent[0]?.parameters).toEqual({
      entityTypeId: 1,
      filter: { '=originatorId': 'events', '=originId': '1' },
      order: { id: 'ASC' },
      select: ['id'],
      start: -1,
    });
    const none = open({ 'crm.item.list': () => ({ result: { items: [] } }) });
    expect(await none.leads.findByOrigin({ originatorId: 'events', originId: '1' })).toBeUndefined();
  });
});

describe('many leads', () => {
  it('are read 50 a request, without those that do not exist', async () => {
    const { leads, sent } = open({ 'crm.item.get': ({ id }) => (id === 3 ? missing : { result: row(id) }) });
    const found = await leads.getMany(Array.from({ length: 51 }, (_, index) => index + 1));
    expect([found.size, found.has(3), found.get(51)?.id]).toEqual([50, false, 51]);
    expect(sent.map(({ batch }) => batch)).toEqual([...Array(50).fill(50), 1]);
  });

  it('are not read without ids', async () => {
    const { leads, sent } = open({});
    expect((await leads.getMany([])).size).toBe(0);
    expect(sent).toEqual([]);
  });
});

describe('duplicates', () => {
  it('are searched for by the first 20 phones and e-mails, and are given once', async () => {
    const { leads, sent } = open({
      'crm.duplicate.findbycomm': ({ type }) => ({
        result: type === 'PHONE' ? { LEAD: [1, 2], CONTACT: [5] } : { LEAD: ['2', 3], COMPANY: [9] },
      }),
    });
    const phones = Array.from({ length: 21 }, (_, index) => `+97150000000${index}`);
    expect(await leads.duplicates({ phones, emails: ['a@example.com'] })).toEqual({
      leads: [1, 2, 3],
      contacts: [5],
      companies: [9],
    });
    expect(sent.map(({ parameters }) => parameters)).toEqual([
      { type: 'PHONE', values: phones.slice(0, 20) },
      { type: 'EMAIL', values: ['a@example.com'] },
    ]);
  });

  it('are none when the CRM returns an empty list', async () => {
    const { leads, sent } = open({ 'crm.duplicate.findbycomm': () => ({ result: [] }) });
    expect(await leads.duplicates({ emails: ['a@example.com'] })).toEqual({ leads: [], contacts: [], companies: [] });
    expect(sent).toHaveLength(1);
  });

  it('are not searched for without values', async () => {
    const { leads, sent } = open({});
    expect(await leads.duplicates({})).toEqual({ leads: [], contacts: [], companies: [] });
    expect(await leads.duplicates({ phones: [], emails: [] })).toMatchObject({ leads: [] });
    expect(sent).toEqual([]);
  });
});

describe('many leads, of which one is denied', () => {
  it('are read without it, and it is refused with the CRM’s text', async () => {
    const denied = { error: ['ACCESS_DENIED', 'Access denied.'] as [string, string] };
    const { leads } = open({ 'crm.item.get': ({ id }) => (id === 2 ? denied : { result: row(id) }) });
    const refused: unknown[] = [];
    const found = await leads.getMany([1, 2], (...one) => refused.push(one));
    expect([[...found.keys()], refused]).toEqual([[1], [[2, 'Access denied.']]]);
  });
});

describe('product rows', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: index + 1, productName: 'Fee', price: 10, quantity: 2 }));
  const openRows = (count: number) =>
    open({
      'crm.item.get': ({ id }) => (id === 7 ? { result: row(7) } : missing),
      'crm.item.productrow.list': ({ start }) => ({
        result: { productRows: rows(count).slice(Number(start), Number(start) + 50) },
      }),
    });

  it('are read by the lead; undefined when there is none, for which the CRM has no rows', async () => {
    const { leads, sent } = openRows(1);
    expect(await leads.productRows(7)).toEqual([
      {
        id: 1,
        productId: null,
        name: 'Fee',
        price: '10.00',
        quantity: 2,
        discount: '0.00',
        taxRate: null,
        taxIncluded: false,
        measure: null,
      },
    ]);
    expect(sent[1]?.parameters).toEqual({
      filter: { '=ownerType': 'L', '=ownerId': 7 },
      order: { sort: 'asc' },
      start: 0,
    });
    expect(await leads.productRows(8)).toBeUndefined();
  });

  it('are read 50 a request', async () => {
    const { leads, sent } = openRows(120);
    expect(await leads.productRows(7)).toHaveLength(120);
    expect(sent.filter(({ method }) => method.endsWith('productrow.list'))).toHaveLength(3);
  });
});

describe('a new lead', () => {
  it('is a create', async () => {
    const { leads, sent } = open({ 'crm.item.add': () => ({ result: { item: { id: 7 } } }) });
    expect(await leads.add({ title: 'Villa', phones: ['+97150'] })).toBe(7);
    expect(sent).toEqual([
      {
        class: 'create',
        method: 'crm.item.add',
        parameters: {
          ...ofLead,
          fields: { title: 'Villa', fm: [{ typeId: 'PHONE', valueType: 'WORK', value: '+97150' }] },
        },
      },
    ]);
  });

  it('is rejected with the CRM’s reason', async () => {
    const { leads } = open({ 'crm.item.add': () => ({ error: ['', 'Title is empty'] }) });
    await expect(leads.add({ title: 'x' })).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('a change', () => {
  it.each([
    [{ title: 'x' }, false],
    [{ phones: [], emails: [] }, false],
    [{ phones: ['+97150'] }, true],
    [{ emails: ['a@example.com'] }, true],
  ])('%j adds contacts: %s', (change, adds) => expect(addsContacts(change)).toBe(adds));

  it.each([
    [{ title: 'x' }, 'set'],
    [{ emails: ['a@example.com'] }, 'create'],
  ])('%j is a %s', async (change, callClass) => {
    const { leads, sent } = open({ 'crm.item.update': updated });
    expect(await leads.update(7, change)).toBe(true);
    expect(await leads.updateMany([{ id: 7, change }])).toEqual([{ id: 7, outcome: 'updated' }]);
    expect(sent.map(call => call.class)).toEqual([callClass, callClass]);
  });

  it('has the fields of the change', async () => {
    const { leads, sent } = open({ 'crm.item.update': updated });
    await leads.update(7, { status: 'JUNK' });
    await leads.updateMany([{ id: 8, change: { status: 'NEW' } }]);
    expect(sent.map(({ parameters }) => parameters)).toEqual([
      { ...ofLead, id: 7, fields: { stageId: 'JUNK' } },
      { ...ofLead, id: 8, fields: { stageId: 'NEW' } },
    ]);
  });

  it('of a lead that does not exist is false', async () => {
    const { leads } = open({ 'crm.item.update': () => missing });
    expect(await leads.update(7, {})).toBe(false);
  });

  it('is rejected with the CRM’s reason', async () => {
    const { leads } = open({ 'crm.item.update': () => ({ error: ['X', 'No'] }) });
    await expect(leads.update(7, {})).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('changes of many leads', () => {
  const change = { title: 'x' };
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1, change }));

  it('are sent 50 a request, with an outcome for each in order', async () => {
    const { leads, sent } = open({
      'crm.item.update': ({ id }) => (id === 2 ? missing : id === 51 ? { error: ['X', 'No <b>title</b>'] } : updated()),
    });
    const outcomes = await leads.updateMany(many(51));
    expect(outcomes.slice(0, 2)).toEqual([
      { id: 1, outcome: 'updated' },
      { id: 2, outcome: 'not-found' },
    ]);
    expect(outcomes.slice(49)).toEqual([
      { id: 50, outcome: 'updated' },
      { id: 51, outcome: 'rejected', reason: 'No title' },
    ]);
    expect(sent.map(({ batch }) => batch)).toEqual([...Array(50).fill(50), 1]);
  });

  it('are creates when one of the request adds contacts', async () => {
    const { leads, sent } = open({ 'crm.item.update': updated });
    await leads.updateMany([...many(50), { id: 51, change: { phones: ['+97150'] } }, { id: 52, change }]);
    expect(sent.map(call => call.class)).toEqual([...Array(50).fill('set'), 'create', 'create']);
  });

  it('fail when one of them remains undone', async () => {
    const failure = rejection('X', 'x', 500);
    const { leads } = open({ 'crm.item.update': ({ id }) => (id === 2 ? { failure } : updated()) });
    await expect(leads.updateMany(many(3))).rejects.toBe(failure);
  });
});

describe('comments', () => {
  it('are added to the lead', async () => {
    const { leads, sent } = open({ 'crm.timeline.comment.add': () => ({ result: '99' }) });
    expect(await leads.addComment(7, 'Called')).toBe(99);
    expect(sent).toEqual([
      {
        class: 'create',
        method: 'crm.timeline.comment.add',
        parameters: { fields: { ENTITY_ID: 7, ENTITY_TYPE: 'lead', COMMENT: 'Called' } },
      },
    ]);
    const { leads: denied } = open({ 'crm.timeline.comment.add': () => ({ error: ['X', 'No'] }) });
    await expect(denied.addComment(7, 'x')).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('are read newest first', async () => {
    const result = [{ ID: '99', AUTHOR_ID: '0', COMMENT: null, CREATED: '2024-09-02T18:37:18+03:00' }];
    const { leads, sent } = open({ 'crm.timeline.comment.list': () => ({ result }) });
    expect(await leads.comments(7)).toEqual([
      { id: 99, authorId: null, text: '', createdAt: new Date('2024-09-02T15:37:18Z') },
    ]);
    expect(sent[0]?.parameters).toEqual({
      filter: { ENTITY_ID: 7, ENTITY_TYPE: 'lead' },
      order: { ID: 'DESC' },
      select: ['ID', 'AUTHOR_ID', 'COMMENT', 'CREATED'],
    });
  });
});
