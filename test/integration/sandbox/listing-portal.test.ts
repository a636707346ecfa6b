/** Tests that the simulated listing portal behaves like the vendor's: tokens, searches, limits, problem documents. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const apiKey = 'sandbox'.padEnd(40, '0');
const apiSecret = 'sandbox'.padEnd(32, '0');

afterEach(() => sandbox.control.reset('listing-portal'));

const Location = z.object({
  id: z.int(),
  type: z.string(),
  name: z.string(),
  tree: z.array(z.object({ id: z.int(), type: z.string(), name: z.string() })),
  coordinates: z.object({ lat: z.number(), lng: z.number() }),
});
const Locations = z.object({
  data: z.array(Location),
  pagination: z.object({
    total: z.int(),
    page: z.int(),
    perPage: z.int(),
    totalPages: z.int(),
    nextPage: z.int().nullable(),
    prevPage: z.int().nullable(),
  }),
});

const askToken = (credentials: object = { apiKey, apiSecret }): Promise<Response> =>
  fetch(`${sandbox.url}/listing-portal/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
const token = async (): Promise<string> =>
  z.object({ accessToken: z.string() }).parse(await (await askToken()).json()).accessToken;
const get = async (path: string, query: Record<string, string | number> = {}, headers: Record<string, string> = {}) => {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return fetch(`${sandbox.url}/listing-portal${path}?${search}`, {
    headers: { authorization: `Bearer ${await token()}`, ...headers },
  });
};
const locations = async (query: Record<string, string | number>, headers?: Record<string, string>) =>
  Locations.parse(await (await get('/v1/locations', query, headers)).json());

const Errors = z.object({
  errors: z.array(z.object({ detail: z.string(), pointer: z.string(), type: z.string().optional() })),
});
const errorsIn = (body: unknown) => Errors.parse(body).errors;

describe('a token', () => {
  it('is issued for the key and its secret', async () =>
    expect(await (await askToken()).json()).toEqual({
      accessToken: expect.stringMatching(/^[^.]+\.[^.]+\.[^.]+$/),
      tokenType: 'Bearer',
      expiresIn: 1800,
    }));

  it('is not issued for a wrong or missing secret', async () => {
    expect((await askToken({ apiKey, apiSecret: 'x'.repeat(32) })).status).toBe(401);
    const rejected = await askToken({ apiKey });
    expect(rejected.status).toBe(400);
    expect(await rejected.json()).toMatchObject({
      type: 'SCHEMA_VALIDATION',
      errors: [{ pointer: '/apiSecret', type: 'RequiredField' }],
    });
    const wrong = await askToken({ apiKey, apiSecret: 5 });
    expect(errorsIn(await wrong.json())).toEqual([{ detail: expect.any(String), pointer: '/apiSecret' }]);
  });

  it('expires after its lifetime', async () => {
    await sandbox.control.settings('listing-portal', { tokenSeconds: 0 });
    const response = await get('/v1/locations', { search: 'dubai' });
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ type: 'AUTHENTICATION' });
  });

  it('is limited to a number of requests per minute', async () => {
    await sandbox.control.settings('listing-portal', { tokenCallsPerMinute: 3 });
    const statuses = [];
    for (let call = 1; call <= 4; call += 1) statuses.push((await askToken()).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

describe('a location search', () => {
  it('returns the place of that name first, with its path from the city', async () => {
    const { data } = await locations({ search: 'dubai marina' });
    expect(data[0]).toMatchObject({
      type: 'COMMUNITY',
      name: 'Dubai Marina',
      tree: [
        { type: 'CITY', name: 'Dubai' },
        { type: 'COMMUNITY', name: 'Dubai Marina' },
      ],
    });
    expect(data.every(({ tree, id }) => tree.at(-1)?.id === id)).toBe(true);
  });

  it('answers in Arabic on request, and finds Arabic names', async () => {
    const { data } = await locations({ search: 'دبي مارينا' }, { 'accept-language': 'ar' });
    expect(data[0]).toMatchObject({ name: 'دبي مارينا', tree: [{ name: 'دبي' }, { name: 'دبي مارينا' }] });
  });

  it('can be filtered by type, parent and id', async () => {
    const named = await locations({ search: 'al nahda', 'filter[type]': 'COMMUNITY' });
    expect(named.data.map(({ tree }) => tree[0]?.name)).toEqual(['Dubai', 'Abu Dhabi', 'Sharjah']);
    const below = await locations({ search: 'maple', 'filter[parent]': 'Dubai, Dubai Hills Estate' });
    expect(below.data.every(({ tree }) => tree[1]?.name === 'Dubai Hills Estate')).toBe(true);
    const [first] = named.data;
    const byId = await locations({ search: '00', 'filter[id]': first?.id ?? 0 });
    expect(byId.data).toEqual([first]);
  });

  it('rejects a search of one letter, an unknown type and more than 100 rows', async () => {
    const response = await get('/v1/locations', { search: 'd', 'filter[type]': 'HOUSE', perPage: 101 });
    expect(response.status).toBe(400);
    const errors = errorsIn(await response.json());
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/filter[type]', '/perPage', '/search']);
    expect(errors.map(({ type }) => type)).toEqual([undefined, undefined, undefined]);
    const empty = await get('/v1/locations');
    expect(empty.status).toBe(400);
    expect(errorsIn(await empty.json())).toEqual([
      { detail: 'This field is required', pointer: '/search', type: 'RequiredField' },
    ]);
    await sandbox.control.settings('listing-portal', { lenientSearch: true });
    expect((await get('/v1/locations', { 'filter[id]': 2 })).status).toBe(200);
  });

  it('finds every location when each city is read page by page', async () => {
    await sandbox.control.settings('listing-portal', { callLimit: false });
    const bearer = `Bearer ${await token()}`;
    const cities = ['Dubai', 'Abu Dhabi', 'Sharjah', 'Ajman', 'Ras Al Khaimah', 'Umm Al Quwain', 'Fujairah', 'Al Ain'];
    const found = new Set<number>();
    for (const search of cities) {
      for (let page: number | null = 1; page !== null; ) {
        const query = new URLSearchParams({ search, page: String(page), perPage: '100' });
        const response: Response = await fetch(`${sandbox.url}/listing-portal/v1/locations?${query}`, {
          headers: { authorization: bearer },
        });
        const { data, pagination }: z.infer<typeof Locations> = Locations.parse(await response.json());
        for (const { id } of data) found.add(id);
        page = pagination.nextPage;
      }
    }
    expect(found.size).toBe(12_000);
  });

  it('repeats a page according to the setting "repeatedPage", as when the list changes during reading', async () => {
    await sandbox.control.settings('listing-portal', { repeatedPage: 2 });
    const query = { search: 'dubai', perPage: 10 };
    const [first, second, third] = await Promise.all([1, 2, 3].map(page => locations({ ...query, page })));
    expect(second?.data).toEqual(first?.data);
    expect(second?.pagination.page).toBe(2);
    expect(third?.data).not.toEqual(first?.data);
  });
});

describe('other read operations', () => {
  it('return an agent’s registration number by e-mail', async () => {
    const { data } = z
      .object({ data: z.array(z.looseObject({ email: z.string() })) })
      .parse(await (await get('/v1/users', { perPage: 1, status: 'active' })).json());
    const found = await (await get('/v1/users', { email: data[0]?.email ?? '' })).json();
    expect(found).toMatchObject({
      pagination: { total: 1 },
      data: [{ publicProfile: { compliances: [{ type: 'brn', value: expect.stringMatching(/^\d{5}$/) }] } }],
    });
  });

  it('return a permit with the regulator’s page, whose token is not the number', async () => {
    const permit = await (await get('/v1/compliances/7116777484/12345', { permitType: 'rera' })).json();
    expect(permit).toMatchObject({
      data: [
        {
          validationURL: expect.stringMatching(/^https:.*[?]khevJujtDig=(?!.*7116777484)\w+$/),
          property: { permitType: 'rera', value: 14_750_000, size: 6_240, roomsCount: '5' },
        },
      ],
    });
  });

  it.each([
    ['no type', {}, { pointer: '/permitType', type: 'RequiredField' }],
    ['an unknown type', { permitType: 'DED' }, { pointer: '/permitType' }],
  ])('reject the look-up of a permit with %s', async (_, query, error) => {
    const response = await get('/v1/compliances/7116777484/12345', query);
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [error] }]);
  });

  it.each([
    ['12', 'rera'],
    ['7116777484', 'adrec'],
  ])('return 404 for the permit %s of the type %s', async (number, permitType) => {
    const unknown = await get(`/v1/compliances/${number}/12345`, { permitType });
    expect([unknown.status, (await unknown.json()).type]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the gateway', () => {
  it('limits the calls per minute', async () => {
    await sandbox.control.settings('listing-portal', { callsPerMinute: 2 });
    const statuses = [];
    for (let call = 1; call <= 3; call += 1) statuses.push((await get('/v1/users')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('returns 403 with a page for the fault "html"', async () => {
    await sandbox.control.fault('listing-portal', { fault: 'html', path: '/v1/locations' });
    const response = await get('/v1/locations', { search: 'dubai' });
    expect([response.status, response.headers.get('content-type')]).toEqual([403, 'text/html']);
  });
});
