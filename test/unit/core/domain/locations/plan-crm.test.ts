/** Matching of portal locations with CRM locations, and the plan of missing links and additions. */
import { describe, expect, it } from 'vitest';
import type { CrmSide } from '../../../../../core/domain/crm/locations.ts';
import { CrmPlan, normalTitle, planCrm } from '../../../../../core/domain/locations/plan-crm.ts';
import { type Given, locationTree } from '../../../../support/locations.ts';

const city = { id: 1, path: 'Dubai' };
const marina = { id: 2, path: 'Dubai > Dubai Marina' };
const gate = { id: 3, path: 'Dubai > Dubai Marina > Marina Gate' };
const tower = { id: 4, path: 'Dubai > Dubai Marina > Marina Gate > Marina Gate 1' };

const row = (id: number, title: string, portalId: string | null = null): CrmSide => ({ id, title, portalId });
const crmCity = row(10, 'Dubai', '1');
const crmMarina = row(20, 'Dubai Marina, Dubai', '2');
const crmGate = row(30, 'Marina Gate, Dubai Marina, Dubai', '3');

interface Case {
  portal: readonly Given[];
  crm: readonly CrmSide[];
  decisions?: Record<number, number>;
  /** Further ids of the portal, outside the part read. */
  elsewhere?: readonly string[];
}

function planOf({ portal, crm, decisions = {}, elsewhere = [] }: Case): CrmPlan {
  const onPortal = new Set([...portal.map(({ id }) => String(id)), ...elsewhere]);
  return planCrm(locationTree(portal), {
    crm,
    decisions: new Map(Object.entries(decisions).map(([portalId, crmId]) => [Number(portalId), crmId])),
    isOnPortal: id => onPortal.has(id),
  });
}

/** A short form of the plan. */
const summaryOf = (given: Case) => {
  const plan = planOf(given);
  return {
    matched: plan.matched,
    links: plan.links.map(({ portalId, crmId }) => `${portalId} is ${crmId}`),
    creates: plan.creates.map(({ location, parent }) => `${location} in ${JSON.stringify(parent)}`),
    undecided: plan.undecided.map(({ key, outcome }) => `${key} ${outcome}`),
  };
};
const nothing = { matched: 0, links: [], creates: [], undecided: [] };

describe('a portal location', () => {
  it('is matched by its portal id, with any title', () =>
    expect(summaryOf({ portal: [city], crm: [row(10, 'DUBAI', '1')] })).toEqual({ ...nothing, matched: 1 }));

  it('with another title in the CRM is matched, reported as a conflict, and not changed', () => {
    const plan = planOf({ portal: [city], crm: [row(10, 'Dubai (former name)', '1')] });
    expect(plan).toMatchObject({ matched: 1, links: [], creates: [] });
    expect(plan.undecided).toEqual([
      { key: '1', outcome: 'conflict', reason: expect.stringContaining('“Dubai (former name)”') },
    ]);
  });

  it.each([
    'Marina Gate, Dubai Marina, Dubai',
    '  marina   GATE ,Dubai-Marina,  dubai',
    'Marina Gate, , Dubai Marina, Dubai',
  ])('is linked to the CRM location with its name and path: %j', title => {
    const crm = [crmCity, crmMarina, row(31, title)];
    expect(summaryOf({ portal: [city, marina, gate], crm })).toEqual({ ...nothing, matched: 2, links: ['3 is 31'] });
  });

  it('is not matched with a location of the same name elsewhere', () => {
    const crm = [crmCity, crmMarina, row(31, 'Marina Gate, Sharjah')];
    expect(summaryOf({ portal: [city, marina, gate], crm })).toMatchObject({
      links: [],
      creates: ['3 in {"crmId":20}'],
    });
  });

  it('is added below its parent if the CRM does not have it', () =>
    expect(summaryOf({ portal: [city, marina], crm: [crmCity] })).toEqual({
      ...nothing,
      matched: 1,
      creates: ['2 in {"crmId":10}'],
    }));

  it('is added after its missing parent; a city has no parent', () =>
    expect(summaryOf({ portal: [city, marina, gate], crm: [row(99, 'Sharjah')] }).creates).toEqual([
      '1 in null',
      '2 in {"portalId":1}',
      '3 in {"portalId":2}',
    ]));

  it('is ambiguous if two CRM locations have its name and path', () => {
    const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'dubai marina, dubai')];
    const plan = planOf({ portal: [city, marina], crm });
    expect(plan).toMatchObject({ links: [], creates: [] });
    expect(plan.undecided).toEqual([{ key: '2', outcome: 'ambiguous', reason: expect.stringContaining('21, 22') }]);
  });

  it('is ambiguous if two CRM locations have its portal id', () => {
    const crm = [crmCity, crmMarina, row(25, 'Dubai Marina (old), Dubai', '2')];
    expect(summaryOf({ portal: [city, marina], crm }).undecided).toEqual(['2 ambiguous']);
  });

  it('is ambiguous if the CRM location with its title has a portal id that does not exist', () => {
    const crm = [crmCity, row(20, 'Dubai Marina, Dubai', '777')];
    const plan = planOf({ portal: [city, marina], crm });
    expect(plan.undecided).toEqual([{ key: '2', outcome: 'ambiguous', reason: expect.stringContaining('777') }]);
  });

  it('is added if the CRM location with its title belongs to another portal location', () => {
    const twin = { ...marina, id: 8 };
    expect(summaryOf({ portal: [city, marina, twin], crm: [crmCity, crmMarina] })).toMatchObject({
      matched: 2,
      creates: ['8 in {"crmId":10}'],
    });
    const crm = [crmCity, row(20, 'Dubai Marina, Dubai', '55')];
    expect(summaryOf({ portal: [city, marina], crm, elsewhere: ['55'] }).creates).toEqual(['2 in {"crmId":10}']);
  });

  it('is ambiguous if another portal location matches the same CRM location by title', () => {
    const twin = { ...marina, id: 8 };
    const crm = [crmCity, row(20, 'Dubai Marina, Dubai')];
    expect(summaryOf({ portal: [city, marina, twin], crm })).toMatchObject({
      links: [],
      creates: [],
      undecided: ['2 ambiguous', '8 ambiguous'],
    });
  });

  it('below an ambiguous location is skipped with its descendants', () => {
    const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'Dubai Marina, Dubai')];
    expect(summaryOf({ portal: [city, marina, gate, tower], crm }).undecided).toEqual([
      '2 ambiguous',
      '3 skipped',
      '4 skipped',
    ]);
  });

  it('below an ambiguous location is matched if the CRM has it', () => {
    const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'Dubai Marina, Dubai'), crmGate];
    expect(summaryOf({ portal: [city, marina, gate, tower], crm })).toMatchObject({
      matched: 2,
      creates: ['4 in {"crmId":30}'],
    });
  });
});

describe('a location alias', () => {
  const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'Dubai Marina, Dubai')];

  it('resolves an ambiguous match and links it', () =>
    expect(summaryOf({ portal: [city, marina], crm, decisions: { 2: 22 } })).toEqual({
      ...nothing,
      matched: 2,
      links: ['2 is 22'],
    }));

  it('takes precedence over the portal id', () => {
    const both = [crmCity, crmMarina, row(25, 'Dubai Marina, Dubai', '2')];
    expect(summaryOf({ portal: [city, marina], crm: both, decisions: { 2: 25 } })).toEqual({ ...nothing, matched: 2 });
  });

  it('of a missing CRM location makes the match ambiguous, and adds nothing', () => {
    const plan = planOf({ portal: [city, marina], crm, decisions: { 2: 404 } });
    expect(plan.creates).toEqual([]);
    expect(plan.undecided).toEqual([{ key: '2', outcome: 'ambiguous', reason: expect.stringContaining('404') }]);
  });
});

it('plans no changes after a plan was applied', () => {
  const portal = [city, marina, gate, tower];
  const crm = [crmCity, row(20, 'dubai marina, dubai')];
  const plan = planOf({ portal, crm });
  const ids = new Map<number, number>();
  const after = [
    crmCity,
    row(20, 'dubai marina, dubai', '2'),
    ...plan.creates.map(({ location }, index) => {
      ids.set(location, 100 + index);
      const path = portal.find(({ id }) => id === location)?.path ?? '';
      return row(100 + index, path.split(' > ').reverse().join(', '), String(location));
    }),
  ];
  expect(summaryOf({ portal, crm: after })).toEqual({ ...nothing, matched: 4 });
});

it('stores a plan as JSON without loss', () => {
  const plan = planOf({ portal: [city, marina], crm: [] });
  expect(CrmPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

it('reads a plan of an earlier version, which contains the whole locations', () => {
  const plan = planOf({ portal: [city, marina], crm: [] });
  const [whole] = locationTree([city]);
  const earlier = {
    ...plan,
    creates: plan.creates.map(creation => ({ ...creation, location: { ...whole, id: creation.location } })),
  };
  expect(CrmPlan.parse(JSON.parse(JSON.stringify(earlier)))).toEqual(plan);
});

it('normalizes the parts of a title separately', () =>
  expect(normalTitle('Marina, Gate 1')).not.toBe(normalTitle('Marina Gate, 1')));
