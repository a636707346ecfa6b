/** The CRM's descriptions of its fields and lists, read in one request. */
import { describe, expect, it } from 'vitest';
import {
  itemFieldList,
  leadFieldList,
  leadFieldsNeeded,
  locationFieldsNeeded,
  pipelineList,
  readLists,
  smartProcessList,
} from '../../../../../core/integrations/crm/field-lists.ts';
import { crmRest, rejection } from '../../../../support/crm-rest.ts';

type Methods = Parameters<typeof crmRest>[0];
const read = async (methods: Methods) => {
  const { rest, sent } = crmRest(methods);
  return { answer: await readLists(rest, [leadFieldList]), sent };
};
const fieldsOf = async (result: unknown) =>
  (await read({ 'crm.item.fields': () => ({ result: { fields: result } }) })).answer(leadFieldList);

describe('a field', () => {
  it('has a label, and no special properties unless the CRM names them', async () => {
    const special = { isMultiple: true, isReadOnly: true, isDynamic: true };
    expect(
      await fieldsOf({
        A: { type: 'string', formLabel: 'Form', listLabel: 'List', title: 'Title', ...special },
        B: { type: 'string', listLabel: 'List', title: 'Title' },
        C: { type: 'enumeration', formLabel: '', title: 'Title', items: [{ ID: '44', VALUE: 'City' }, { ID: 45 }] },
      }),
    ).toEqual({
      found: {
        A: { type: 'string', label: 'Form', multiple: true, readOnly: true, custom: true, items: [] },
        B: { type: 'string', label: 'List', multiple: false, readOnly: false, custom: false, items: [] },
        C: {
          type: 'enumeration',
          label: 'Title',
          multiple: false,
          readOnly: false,
          custom: false,
          items: [
            { ID: '44', VALUE: 'City' },
            { ID: '45', VALUE: '' },
          ],
        },
      },
    });
  });

  it.each([[[]], [{}]])('may be none: %j', async result => expect(await fieldsOf(result)).toEqual({ found: {} }));
});

describe('a list', () => {
  it.each([
    [['ACCESS_DENIED', 'no'], 'ACCESS_DENIED'],
    [['', 'Access denied'], 'Access denied'],
    [['NOT_FOUND', 'x'], 'not-found'],
    [['', 'Not found'], 'not-found'],
  ] as const)('that the CRM rejects with %j is rejected: %s', async ([code, text], rejected) => {
    const { answer } = await read({ 'crm.item.fields': () => ({ error: [code, text] }) });
    expect(answer(leadFieldList)).toEqual({ rejected });
  });

  it('in another form is rejected', async () =>
    expect(await fieldsOf({ A: { type: 7 } })).toEqual({ rejected: 'an answer in an unexpected form' }));

  it('that was not read has no answer', async () => {
    const { answer } = await read({ 'crm.item.fields': () => ({ result: { fields: [] } }) });
    expect(answer(pipelineList)).toEqual({ rejected: 'no answer' });
  });

  it('that could not be read is an error', async () => {
    const failure = rejection('X', 'x', 500);
    const { answer } = await read({ 'crm.item.fields': () => ({ failure }) });
    expect(() => answer(leadFieldList)).toThrow(failure);
  });
});

it('the lists are read by their methods, pipelines by id', async () => {
  const { rest, sent } = crmRest({
    'crm.item.fields': () => ({ result: { fields: [] } }),
    'crm.category.list': () => ({ result: { categories: [{ id: '9', name: 'B' }, { id: 1 }] } }),
    'crm.type.list': () => ({ result: { types: [{ id: 4, entityTypeId: '1036', title: 'Locations' }] } }),
  });
  const items = itemFieldList(1036);
  const answer = await readLists(rest, [pipelineList, smartProcessList, leadFieldList, items]);
  expect(sent.map(({ method, parameters, batch }) => [method, parameters, batch])).toEqual([
    ['crm.category.list', { entityTypeId: 2 }, 4],
    ['crm.type.list', {}, 4],
    ['crm.item.fields', { entityTypeId: 1, useOriginalUfNames: 'Y' }, 4],
    ['crm.item.fields', { entityTypeId: 1036 }, 4],
  ]);
  expect(answer(pipelineList)).toEqual({
    found: [
      { id: 1, name: '' },
      { id: 9, name: 'B' },
    ],
  });
  expect(answer(smartProcessList)).toEqual({ found: [{ id: 1036, name: 'Locations' }] });
  expect(answer(items)).toEqual({ found: {} });
});

describe('a needed field', () => {
  const needed = [...leadFieldsNeeded, ...locationFieldsNeeded];
  const wordsOf = (setting: string) => needed.find(each => each.setting === setting)?.words ?? expect.fail();

  it.each([
    ['CRM_LEAD_COUNTRY_FIELD', ['Country', 'UF_COUNTRY'], ['County']],
    ['CRM_LEAD_DNC_FIELD', ['DNC status', 'Do not call', 'do-not-call', 'DoNotCall'], ['Call me']],
    ['CRM_LEAD_LOCATIONS_FIELD', ['Locations'], ['Place']],
    ['CRM_LEAD_AGENT_FIELD', ['Agent', 'Broker'], ['User']],
    ['CRM_LEAD_ACTIVITY_FIELD', ['Activity'], ['Action']],
    ['CRM_LEAD_CONSENT_FIELD', ['Marketing consent'], ['Content']],
    ['CRM_LEAD_PAGE_FIELD', ['Landing page', 'the URL'], ['Curling', 'urls']],
    ['CRM_LOCATION_TYPE_FIELD', ['Type', 'Level'], ['Kind']],
    ['CRM_LOCATION_PARENT_FIELD', ['Parent'], ['Child']],
    [
      'CRM_LOCATION_PORTAL_ID_FIELD',
      ['Portal id', 'Property Finder', 'property-finder', 'PropertyFinder'],
      ['Property'],
    ],
    ['CRM_LOCATION_ARABIC_FIELD', ['Arabic', 'NameAr', 'name_ar', 'Name AR'], ['Name area', 'Name']],
  ])('%s is recognised by %j, not by %j', (setting, names, others) => {
    const words = wordsOf(setting);
    expect([names.filter(name => !words.test(name)), others.filter(name => words.test(name))]).toEqual([[], []]);
  });

  it('has types whose values the connector reads and writes', () =>
    expect(Object.fromEntries(needed.map(({ setting, types }) => [setting, types.join()]))).toEqual({
      CRM_LEAD_COUNTRY_FIELD: 'string',
      CRM_LEAD_DNC_FIELD: 'string',
      CRM_LEAD_LOCATIONS_FIELD: 'string',
      CRM_LEAD_AGENT_FIELD: 'string',
      CRM_LEAD_ACTIVITY_FIELD: 'string',
      CRM_LEAD_CONSENT_FIELD: 'boolean',
      CRM_LEAD_PAGE_FIELD: 'string,url',
      CRM_LOCATION_TYPE_FIELD: 'string,enumeration',
      CRM_LOCATION_PARENT_FIELD: 'integer,double,string',
      CRM_LOCATION_PORTAL_ID_FIELD: 'string,integer',
      CRM_LOCATION_ARABIC_FIELD: 'string',
    }));
});
