/** The listing portal's locations, permits and errors, from its form to ours. */
import { describe, expect, it } from 'vitest';
import { rawAnswer } from '../../../../../core/integrations/kit/call.ts';
import { everyRow } from '../../../../../core/integrations/kit/read-rows.ts';
import { parentOf, titleOf } from '../../../../../core/integrations/listing-portal/location.ts';
import {
  ComplianceAnswer,
  LocationsAnswer,
  ourLocation,
  ourPermit,
  readFault,
  system,
  TokenAnswer,
} from '../../../../../core/integrations/listing-portal/wire.ts';

const city = { id: '1', type: 'CITY', name: ' Dubai ' };
const community = { id: 10, type: 'COMMUNITY', name: 'Dubai   Marina' };
const coordinates = { lat: 25.07, lng: 55.13 };
const pagination = { total: 1, page: 1, totalPages: 1 };

function read(row: object) {
  const [location] = everyRow(system, LocationsAnswer.parse({ data: [row], pagination }).data);
  if (!location) throw new Error('no location');
  return ourLocation(location);
}
const dubai = { id: 1, type: 'city', name: 'Dubai' };
const marina = { id: 10, type: 'community', name: 'Dubai Marina' };

describe('a location', () => {
  it('has the path from the root to itself', () => {
    expect(read({ ...community, tree: [city], coordinates })).toEqual({
      ...marina,
      path: [dubai, marina],
      coordinates,
    });
    expect(read({ ...community, tree: [city, community] })).toMatchObject({ path: [dubai, marina], coordinates: null });
  });

  it('without places above it is a root', () =>
    expect(read({ ...city, coordinates: null })).toEqual({ ...dubai, path: [dubai], coordinates: null }));

  it.each([{ name: '' }, { id: 'x' }, { id: 1.5 }, { type: undefined }, { coordinates: { lat: 1 } }])(
    'is not %j',
    change => expect(() => read({ ...community, ...change })).toThrow(),
  );

  it('has a parent and a title', () => {
    const nameAr = null;
    const places = [
      { ...dubai, nameAr },
      { ...marina, nameAr },
    ];
    expect(parentOf({ places })).toMatchObject(dubai);
    expect(parentOf({ places: places.slice(0, 1) })).toBeUndefined();
    expect(titleOf(places)).toBe('Dubai Marina, Dubai');
  });
});

it.each([
  { total: -1, page: 1, totalPages: 1 },
  { page: 1, totalPages: 1 },
  { total: 1, page: 1, totalPages: -1 },
])('a page of locations does not count %j', given =>
  expect(LocationsAnswer.safeParse({ data: [], pagination: given }).success).toBe(false),
);

describe('a permit', () => {
  const permitOf = (row: object) => ComplianceAnswer.parse({ data: [row] }).data.map(ourPermit);
  const unregistered = { permitType: '', price: '', size: '', bedrooms: '', projectNumber: '', developer: '' };

  it('has null and empty texts for what the portal leaves out', () => {
    const empty = { permitNumber: '71', startsAt: null, expiresAt: null, validationUrl: null };
    expect(permitOf({ permitNumber: 71 })).toEqual([{ ...empty, registered: unregistered }]);
    expect(permitOf({ permitNumber: 71, property: null, project: {} })).toEqual([
      { ...empty, registered: unregistered },
    ]);
  });

  it('has its dates, the page of the regulator and the registered values', () => {
    const dates = { startedAt: '2026-01-01', expiresAt: '2026-12-31' };
    const property = { permitType: 'rera', size: 742, roomsCount: '1', value: 2_150_000, locationName: 'Marina' };
    const project = { number: 2871, developerName: 'Cove Properties' };
    const row = { permitNumber: '71', ...dates, validationURL: 'https://x.example/71', property, project };
    expect(permitOf(row)).toEqual([
      {
        permitNumber: '71',
        startsAt: '2026-01-01',
        expiresAt: '2026-12-31',
        validationUrl: 'https://x.example/71',
        registered: {
          permitType: 'rera',
          price: '2150000',
          size: '742',
          bedrooms: '1',
          projectNumber: '2871',
          developer: 'Cove Properties',
        },
      },
    ]);
  });

  it.each(['none', 'http://x.example/71', 'javascript:alert(1)'])('has no page at %s', validationURL => {
    expect(() => permitOf({ permitNumber: '71', validationURL })).toThrow();
  });
});

it.each([{ accessToken: '', expiresIn: 1 }, { accessToken: 'a', expiresIn: 0 }, { accessToken: 'a' }])(
  'an access token is not %j',
  given => expect(TokenAnswer.safeParse(given).success).toBe(false),
);

describe('a fault', () => {
  const json = { 'content-type': 'application/problem+json' };
  const fault = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    readFault(rawAnswer(status, { ...json, ...headers }, Buffer.from(JSON.stringify(body))));

  it('has the portal’s code, and its detail, else its title', () => {
    expect(fault(400, { type: 'SCHEMA_VALIDATION', title: 'Bad', detail: 'page is wrong' })).toEqual({
      verdict: 'rejected',
      code: 'SCHEMA_VALIDATION',
      message: 'page is wrong',
    });
    expect(fault(400, { title: 'Bad' })).toEqual({ verdict: 'rejected', message: 'Bad' });
    expect(fault(422, 'text')).toEqual({ verdict: 'rejected' });
    expect(fault(422, { type: 7 })).toEqual({ verdict: 'rejected' });
  });

  it('of the limit has a pause, also without one from the portal', () => {
    expect(fault(429, { type: 'RATE_LIMIT' })).toEqual({ verdict: 'limit', code: 'RATE_LIMIT', retryAfterMs: 5_000 });
    expect(fault(429, {}, { 'retry-after': '2' })).toEqual({ verdict: 'limit', retryAfterMs: 2_000 });
  });

  it('is transient for a page of the portal’s CDN', () => {
    const page = rawAnswer(403, { 'content-type': 'text/html' }, Buffer.from('<!DOCTYPE html>'));
    expect(readFault(page)).toEqual({ verdict: 'transient', code: 'html', message: 'a page instead of data' });
    expect(fault(500, { type: 'INTERNAL' })).toEqual({ verdict: 'transient', code: 'INTERNAL' });
  });

  it('is none for a success', () => expect(fault(200, { type: 'x' })).toBeUndefined());
});
