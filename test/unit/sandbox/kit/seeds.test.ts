import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seedLeads } from '../../../../sandbox/crm/seeds/clients.ts';
import { seedDeals } from '../../../../sandbox/crm/seeds/deals.ts';
import { seedLocations } from '../../../../sandbox/crm/seeds/locations.ts';
import { seedUsers } from '../../../../sandbox/crm/seeds/users.ts';
import { people } from '../../../../sandbox/kit/people.ts';
import { gazetteer } from '../../../../sandbox/kit/places/gazetteer.ts';
import { createRandom } from '../../../../sandbox/kit/random.ts';

const fingerprint = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const countBy = <Row>(rows: readonly Row[], key: (row: Row) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
  return counts;
};

describe('random numbers', () => {
  it('are equal for equal seeds and differ for different seeds', () => {
    const draw = (seed: string) => Array.from({ length: 5 }, createRandom(seed).next);
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });
});

describe('seed data', () => {
  it.each([
    ['deals', seedDeals],
    ['leads', seedLeads],
    ['locations', seedLocations],
    ['users', seedUsers],
  ])('of %s is identical in every run', (_name, seed) => expect(fingerprint(seed())).toBe(fingerprint(seed())));

  it('is generated within two seconds of CPU time', () => {
    const startedAt = process.cpuUsage();
    seedDeals();
    seedLeads();
    seedLocations();
    seedUsers();
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});

describe('the people', () => {
  it('are 300, 60 of them dismissed, none of these a manager', () => {
    const managers = new Set(people().map(({ managerNumber }) => managerNumber));
    const left = people().filter(({ leftOn }) => leftOn !== undefined);
    expect([people().length, left.length]).toEqual([300, 60]);
    expect(left.filter(({ number }) => managers.has(number))).toEqual([]);
  });

  it.each(['email', 'phone', 'directoryId', 'employeeNumber', 'crmId'] as const)('have unique values of %s', key =>
    expect(new Set(people().map(person => person[key])).size).toBe(300),
  );

  it('include people with the same name', () => {
    const names = countBy(people(), ({ firstName, lastName }) => `${firstName} ${lastName}`);
    expect(Math.max(...Object.values(names))).toBeGreaterThan(1);
  });
});

describe('the gazetteer', () => {
  const places = gazetteer();

  it('has 12,000 places in the cities of all seven emirates', () => {
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

  it('has unique names within a parent and equal names in different parents', () => {
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

  it('contain about 11,000 of the portal’s 12,000 and some obsolete ones', () => {
    const known = new Set(gazetteer().map(({ id }) => String(id)));
    expect(rows.length).toBeGreaterThan(10_800);
    expect(rows.length).toBeLessThan(11_200);
    expect(portalIds.filter(id => !known.has(id)).length).toBeGreaterThan(10);
  });

  it('contain every kind of difference that the synchronisation handles', () => {
    expect(rows.length - portalIds.length).toBeGreaterThan(200);
    expect(portalIds.length - new Set(portalIds).size).toBeGreaterThan(2);
    expect(rows.filter(({ TITLE }) => String(TITLE).includes('(former name)')).length).toBeGreaterThan(50);
    expect(rows.filter(({ TITLE }) => TITLE === String(TITLE).toUpperCase()).length).toBeGreaterThan(50);
  });

  it('have existing parents', () => {
    const ids = new Set(rows.map(({ ID }) => ID));
    expect(rows.filter(({ UF_CRM_8_PARENT: parent }) => parent !== null && !ids.has(Number(parent)))).toEqual([]);
  });
});
