/** Which location of the CRM a location of the portal is, and what the CRM lacks. */
import { describe, expect, it } from 'vitest';
import {
  CrmPlan,
  type CrmSide,
  normalTitle,
  planCrm,
} from '../../../../../core/domain/locations/plan-crm.ts';
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
  /** Ids that the portal has besides, elsewhere. */
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

/** The plan in few words. */
const told = (given: Case) => {
  const plan = planOf(given);
  return {
    matched: plan.matched,
    links: plan.links.map(({ portalId, crmId }) => `${portalId} is ${crmId}`),
    creates: plan.creates.map(({ location, parent }) => `${location.id} in ${JSON.stringify(parent)}`),
    undecided: plan.undecided.map(({ key, outcome }) => `${key} ${outcome}`),
  };
};
const nothing = { matched: 0, links: [], creates: [], undecided: [] };

describe('a location of the portal', () => {
  it('that the CRM has by its portal id is matched, whatever its title', () => {
    expect(told({ portal: [city], crm: [row(10, 'DUBAI', '1')] })).toEqual({ ...nothing, matched: 1 });
  });

  it('whose title differs in the CRM is matched and told, and left as it is', () => {
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
  ])('is linked to the one of its name and path: %j', title => {
    const crm = [crmCity, crmMarina, row(31, title)];
    expect(told({ portal: [city, marina, gate], crm })).toEqual({
      ...nothing,
      matched: 2,
      links: ['3 is 31'],
    });
  });

  it('is not taken for one of the same name somewhere else', () => {
    const crm = [crmCity, crmMarina, row(31, 'Marina Gate, Sharjah')];
    expect(told({ portal: [city, marina, gate], crm })).toMatchObject({
      links: [],
      creates: ['3 in {"crmId":20}'],
    });
  });

  it('is added below what it lies in when the CRM lacks it', () => {
    expect(told({ portal: [city, marina], crm: [crmCity] })).toEqual({
      ...nothing,
      matched: 1,
      creates: ['2 in {"crmId":10}'],
    });
  });

  it('is added after what it lies in when that is lacking too, and a city below nothing', () => {
    expect(told({ portal: [city, marina, gate], crm: [row(99, 'Sharjah')] }).creates).toEqual([
      '1 in null',
      '2 in {"portalId":1}',
      '3 in {"portalId":2}',
    ]);
  });

  it('is ambiguous when two of the CRM have its name and path', () => {
    const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'dubai marina, dubai')];
    const plan = planOf({ portal: [city, marina], crm });
    expect(plan).toMatchObject({ links: [], creates: [] });
    expect(plan.undecided).toEqual([
      { key: '2', outcome: 'ambiguous', reason: expect.stringContaining('21, 22') },
    ]);
  });

  it('is ambiguous when two of the CRM have its portal id', () => {
    const crm = [crmCity, crmMarina, row(25, 'Dubai Marina (old), Dubai', '2')];
    expect(told({ portal: [city, marina], crm }).undecided).toEqual(['2 ambiguous']);
  });

  it('is ambiguous when the one of its title has a portal id that the portal does not know', () => {
    const crm = [crmCity, row(20, 'Dubai Marina, Dubai', '777')];
    const plan = planOf({ portal: [city, marina], crm });
    expect(plan.undecided).toEqual([
      { key: '2', outcome: 'ambiguous', reason: expect.stringContaining('777') },
    ]);
  });

  it('is added when the one of its title is another location of the portal', () => {
    const twin = { ...marina, id: 8 };
    expect(told({ portal: [city, marina, twin], crm: [crmCity, crmMarina] })).toMatchObject({
      matched: 2,
      creates: ['8 in {"crmId":10}'],
    });
    const crm = [crmCity, row(20, 'Dubai Marina, Dubai', '55')];
    expect(told({ portal: [city, marina], crm, elsewhere: ['55'] }).creates).toEqual(['2 in {"crmId":10}']);
  });

  it('is ambiguous when another of the portal has its name and path, and the CRM one without an id', () => {
    const twin = { ...marina, id: 8 };
    const crm = [crmCity, row(20, 'Dubai Marina, Dubai')];
    expect(told({ portal: [city, marina, twin], crm })).toMatchObject({
      links: [],
      creates: [],
      undecided: ['2 ambiguous', '8 ambiguous'],
    });
  });

  it('below an ambiguous one is skipped, and so is what lies in it', () => {
    const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'Dubai Marina, Dubai')];
    expect(told({ portal: [city, marina, gate, tower], crm }).undecided).toEqual([
      '2 ambiguous',
      '3 skipped',
      '4 skipped',
    ]);
  });

  it('below an ambiguous one is matched all the same when the CRM has it', () => {
    const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'Dubai Marina, Dubai'), crmGate];
    expect(told({ portal: [city, marina, gate, tower], crm })).toMatchObject({
      matched: 2,
      creates: ['4 in {"crmId":30}'],
    });
  });
});

describe('a decision of a person', () => {
  const crm = [crmCity, row(21, 'Dubai Marina, Dubai'), row(22, 'Dubai Marina, Dubai')];

  it('settles what is ambiguous, and links it', () => {
    expect(told({ portal: [city, marina], crm, decisions: { 2: 22 } })).toEqual({
      ...nothing,
      matched: 2,
      links: ['2 is 22'],
    });
  });

  it('goes before the portal id', () => {
    const both = [crmCity, crmMarina, row(25, 'Dubai Marina, Dubai', '2')];
    expect(told({ portal: [city, marina], crm: both, decisions: { 2: 25 } })).toEqual({
      ...nothing,
      matched: 2,
    });
  });

  it('for a location that is gone is told, and nothing is added instead', () => {
    const plan = planOf({ portal: [city, marina], crm, decisions: { 2: 404 } });
    expect(plan.creates).toEqual([]);
    expect(plan.undecided).toEqual([
      { key: '2', outcome: 'ambiguous', reason: expect.stringContaining('404') },
    ]);
  });
});

it('a plan that is carried out leaves nothing to do', () => {
  const portal = [city, marina, gate, tower];
  const crm = [crmCity, row(20, 'dubai marina, dubai')];
  const plan = planOf({ portal, crm });
  const ids = new Map<number, number>();
  const after = [
    crmCity,
    row(20, 'dubai marina, dubai', '2'),
    ...plan.creates.map(({ location }, index) => {
      ids.set(location.id, 100 + index);
      return row(
        100 + index,
        location.places
          .map(({ name }) => name)
          .reverse()
          .join(', '),
        String(location.id),
      );
    }),
  ];
  expect(told({ portal, crm: after })).toEqual({ ...nothing, matched: 4 });
});

it('a plan survives being kept as JSON', () => {
  const plan = planOf({ portal: [city, marina], crm: [] });
  expect(CrmPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

it('parts of a title are kept apart', () => {
  expect(normalTitle('Marina, Gate 1')).not.toBe(normalTitle('Marina Gate, 1'));
});
