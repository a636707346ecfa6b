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
  id: '37',
  categoryId: 1,
  stageId: 'C1:WON',
  stageSemanticId: 'F',
  opportunity: null,
  currencyId: null,
  assignedById: 1,
  createdTime: time,
  updatedTime: time,
  closed: 'Y',
  closedate: time,
};

it.each([
  ['Y', time, new Date(time)],
  ['Y', '', null],
  ['N', time, null],
  [null, time, null],
])('a deal with closed %j and closedate %j was closed at %j', (closed, closedate, closedAt) =>
  expect(WireDeal.parse({ ...row, closed, closedate })).toMatchObject({ closedAt, amount: '0.00', currency: '' }),
);

it.each(['id', 'categoryId', 'stageId', 'assignedById', 'createdTime', 'updatedTime'])(
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
