import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seedLeads } from '../../../../sandbox/crm/seeds/clients.ts';
import { seedDeals } from '../../../../sandbox/crm/seeds/deals.ts';
import { seedLocations } from '../../../../sandbox/crm/seeds/locations.ts';
import { seedUsers } from '../../../../sandbox/crm/seeds/users.ts';
import { people } from '../../../../sandbox/kit/people.ts';
import { gazetteer } from '../../../../sandbox/kit/places/gazetteer.ts';
import { createRandom } from '../../../../sandbox/kit/random.ts';

const fingerprint = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');
const countBy = <Row>(rows: readonly Row[], key: (row: Row) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
  return counts;
};

describe('random numbers', () => {
  it('are the same for the same seed, others for another', () => {
    const draw = (seed: string) => Array.from({ length: 5 }, createRandom(seed).next);
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });
});

describe('the seeds', () => {
  it.each([
    ['deals', seedDeals],
    ['leads', seedLeads],
    ['locations', seedLocations],
    ['users', seedUsers],
  ])('of %s are the same in every making', (_name, seed) => {
    expect(fingerprint(seed())).toBe(fingerprint(seed()));
  });

  it('are made fast enough for a start nobody waits for', () => {
    const startedAt = performance.now();
    seedDeals();
    seedLeads();
    seedLocations();
    seedUsers();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('the people', () => {
  it('are three hundred, sixty of them dismissed, none of those a manager', () => {
    const managers = new Set(people().map(({ managerNumber }) => managerNumber));
    const left = people().filter(({ leftOn }) => leftOn !== undefined);
    expect([people().length, left.length]).toEqual([300, 60]);
    expect(left.filter(({ number }) => managers.has(number))).toEqual([]);
  });

  it.each(['email', 'phone', 'directoryId', 'employeeNumber', 'crmId'] as const)(
    'have a %s each of their own',
    key => {
      expect(new Set(people().map(person => person[key])).size).toBe(300);
    },
  );

  it('have namesakes, so that a name alone does not tell who is meant', () => {
    const names = countBy(people(), ({ firstName, lastName }) => `${firstName} ${lastName}`);
    expect(Math.max(...Object.values(names))).toBeGreaterThan(1);
  });
});

describe('the gazetteer', () => {
  const places = gazetteer();

  it('holds twelve thousand places in the cities of all seven emirates', () => {
    const types = countBy(places, ({ type }) => type);
    expect(places).toHaveLength(12_000);
    expect(types.CITY).toBe(8);
    expect(types.COMMUNITY).toBeGreaterThanOrEqual(60);
    expect(types.SUBCOMMUNITY).toBeGreaterThanOrEqual(250);
  });

  it('lists parents before their children, each with an id, a path to itself and an Arabic name', () => {
    const seen = new Set<number>();
    const wrong = places.filter(place => {
      seen.add(place.id);
      const follows = place.parent === undefined || seen.has(place.parent.id);
      const isPathRight = place.path.at(-1) === place && place.path.at(-2) === place.parent;
      return !follows || !isPathRight || !/[\u0600-\u06ff]/.test(place.nameAr);
    });
    expect(wrong).toEqual([]);
    expect(seen.size).toBe(12_000);
  });

  it('has no two places of one name in one parent, and many of one name in different ones', () => {
    const siblings = countBy(places, ({ name, parent }) => `${parent?.id} ${name.toLowerCase()}`);
    expect(Math.max(...Object.values(siblings))).toBe(1);
    expect(places.filter(({ name }) => name === 'Al Nahda').map(({ parent }) => parent?.name)).toEqual([
      'Dubai',
      'Abu Dhabi',
      'Sharjah',
    ]);
  });
});

describe('the CRM’s locations', () => {
  const rows = seedLocations();
  const portalIds = rows.map(({ UF_CRM_8_PORTAL_ID: id }) => String(id)).filter(Boolean);

  it('know about eleven of the portal’s twelve thousand', () => {
    const known = new Set(gazetteer().map(({ id }) => String(id)));
    expect(rows.length).toBeGreaterThan(10_800);
    expect(rows.length).toBeLessThan(11_200);
    expect(portalIds.filter(id => !known.has(id)).length).toBeGreaterThan(10);
  });

  it('hold every difference that a synchronisation has to settle', () => {
    expect(rows.length - portalIds.length).toBeGreaterThan(200);
    expect(portalIds.length - new Set(portalIds).size).toBeGreaterThan(2);
    expect(rows.filter(({ TITLE }) => String(TITLE).includes('(former name)')).length).toBeGreaterThan(50);
    expect(rows.filter(({ TITLE }) => TITLE === String(TITLE).toUpperCase()).length).toBeGreaterThan(50);
  });

  it('lie in parents that exist', () => {
    const ids = new Set(rows.map(({ ID }) => ID));
    expect(rows.filter(({ UF_CRM_8_PARENT: parent }) => parent !== null && !ids.has(Number(parent)))).toEqual(
      [],
    );
  });
});
