/** Deals and stages in the CRM's form. */
import { expect, it } from 'vitest';
import {
  dealFields,
  stagesOf,
  WireDeal,
  WirePipelines,
  WireStages,
} from '../../../../../../core/integrations/crm/wire/deal.ts';

const time = '2024-09-02T18:37:18+03:00';
const row = {
  ...{ ID: '37', CATEGORY_ID: 1, STAGE_ID: 'C1:WON', STAGE_SEMANTIC_ID: 'F', OPPORTUNITY: null, CURRENCY_ID: null },
  ...{ ASSIGNED_BY_ID: 1, DATE_CREATE: time, DATE_MODIFY: time, CLOSED: 'Y', CLOSEDATE: time },
};

it.each([
  ['Y', time, new Date(time)],
  ['Y', '', null],
  ['N', time, null],
  [null, time, null],
])('a deal with CLOSED %j and CLOSEDATE %j was closed at %j', (CLOSED, CLOSEDATE, closedAt) =>
  expect(WireDeal.parse({ ...row, CLOSED, CLOSEDATE })).toMatchObject({ closedAt, amount: '0.00', currency: '' }),
);

it.each(['ID', 'CATEGORY_ID', 'STAGE_ID', 'ASSIGNED_BY_ID', 'DATE_CREATE', 'DATE_MODIFY'])(
  'a deal has the field %s',
  name => {
    expect(WireDeal.safeParse({ ...row, [name]: undefined }).success).toBe(false);
    expect(dealFields).toContain(name);
  },
);

it('pipelines have ids, and stages have a place and an outcome', () => {
  expect(WirePipelines.parse({ categories: [{ id: '0', name: 'x' }] })).toEqual({ categories: [{ id: 0 }] });
  const stage = { STATUS_ID: 'NEW', NAME: 'New', SORT: '10', SEMANTICS: 'S' };
  expect(WireStages.parse([stage, { ...stage, SORT: 'x' }])).toEqual([
    { id: 'NEW', row: { id: 'NEW', name: 'New', place: 10, outcome: 'won' } },
    { id: 'NEW', bad: expect.objectContaining({ system: 'crm', record: 'stage', field: 'SORT' }) },
  ]);
});

it('the stages of the first pipeline have no id in their name', () =>
  expect([stagesOf(0), stagesOf(14)]).toEqual(['DEAL_STAGE', 'DEAL_STAGE_14']));
