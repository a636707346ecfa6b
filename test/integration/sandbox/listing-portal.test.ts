/** The simulated listing portal keeps its vendor's truth: tokens, searches without a list of all, limits, problems. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../support/sandbox.ts';

let sandbox: Sandbox;
const apiKey = 'sandbox'.padEnd(40, '0');
const apiSecret = 'sandbox'.padEnd(32, '0');

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.control.reset('listing-portal'));
afterAll(() => sandbox.close());

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
const get = async (
  path: string,
  query: Record<string, string | number> = {},
  headers: Record<string, string> = {},
) => {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return fetch(`${sandbox.url}/listing-portal${path}?${search}`, {
    headers: { authorization: `Bearer ${await token()}`, ...headers },
  });
};
const locations = async (query: Record<string, string | number>, headers?: Record<string, string>) =>
  Locations.parse(await (await get('/v1/locations', query, headers)).json());

describe('a token', () => {
  it('is given for the key and its secret', async () => {
    expect(await (await askToken()).json()).toEqual({
      accessToken: expect.stringMatching(/^[^.]+\.[^.]+\.[^.]+$/),
      tokenType: 'Bearer',
      expiresIn: 1800,
    });
  });

  it('is refused for others, and for what is no key at all', async () => {
    expect((await askToken({ apiKey, apiSecret: 'x'.repeat(32) })).status).toBe(401);
    const refused = await askToken({ apiKey });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      type: 'SCHEMA_VALIDATION',
      errors: [{ pointer: '/apiSecret', type: 'RequiredField' }],
    });
  });

  it('dies after its time', async () => {
    await sandbox.control.settings('listing-portal', { tokenSeconds: 0 });
    const answer = await get('/v1/locations', { search: 'dubai' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ type: 'AUTHENTICATION' });
  });

  it('may be asked for sixty times a minute', async () => {
    await sandbox.control.settings('listing-portal', { tokenCallsPerMinute: 3 });
    const statuses = [];
    for (let call = 1; call <= 4; call += 1) statuses.push((await askToken()).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

describe('a location search', () => {
  it('finds the place of that name first, with its way from the city down to itself', async () => {
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

  it('answers in Arabic when asked to, and finds by Arabic names', async () => {
    const { data } = await locations({ search: 'دبي مارينا' }, { 'accept-language': 'ar' });
    expect(data[0]).toMatchObject({ name: 'دبي مارينا', tree: [{ name: 'دبي' }, { name: 'دبي مارينا' }] });
  });

  it('is narrowed by type, by parent, and by id', async () => {
    const named = await locations({ search: 'al nahda', 'filter[type]': 'COMMUNITY' });
    expect(named.data.map(({ tree }) => tree[0]?.name)).toEqual(['Dubai', 'Abu Dhabi', 'Sharjah']);
    const below = await locations({ search: 'maple', 'filter[parent]': 'Dubai, Dubai Hills Estate' });
    expect(below.data.every(({ tree }) => tree[1]?.name === 'Dubai Hills Estate')).toBe(true);
    const [first] = named.data;
    const byId = await locations({ search: '00', 'filter[id]': first?.id ?? 0 });
    expect(byId.data).toEqual([first]);
  });

  it('needs two letters at least, a known type and at most a hundred rows, and says so', async () => {
    const answer = await get('/v1/locations', { search: 'd', 'filter[type]': 'HOUSE', perPage: 101 });
    expect(answer.status).toBe(400);
    const { errors } = z
      .object({ errors: z.array(z.object({ pointer: z.string() })) })
      .parse(await answer.json());
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/filter[type]', '/perPage', '/search']);
    expect((await get('/v1/locations')).status).toBe(400);
    await sandbox.control.settings('listing-portal', { lenientSearch: true });
    expect((await get('/v1/locations', { 'filter[id]': 2 })).status).toBe(200);
  });

  it('by the names of the cities, page by page, comes to every location once', async () => {
    await sandbox.control.settings('listing-portal', { callLimit: false });
    const bearer = `Bearer ${await token()}`;
    const cities = [
      'Dubai',
      'Abu Dhabi',
      'Sharjah',
      'Ajman',
      'Ras Al Khaimah',
      'Umm Al Quwain',
      'Fujairah',
      'Al Ain',
    ];
    const found = new Set<number>();
    for (const search of cities) {
      for (let page: number | null = 1; page !== null; ) {
        const query = new URLSearchParams({ search, page: String(page), perPage: '100' });
        const answer: Response = await fetch(`${sandbox.url}/listing-portal/v1/locations?${query}`, {
          headers: { authorization: bearer },
        });
        const { data, pagination }: z.infer<typeof Locations> = Locations.parse(await answer.json());
        for (const { id } of data) found.add(id);
        page = pagination.nextPage;
      }
    }
    expect(found.size).toBe(12_000);
  });

  it('shows one page twice when told to, as a list does that changes under a reader', async () => {
    await sandbox.control.settings('listing-portal', { repeatedPage: 2 });
    const query = { search: 'dubai', perPage: 10 };
    const [first, second, third] = await Promise.all([1, 2, 3].map(page => locations({ ...query, page })));
    expect(second?.data).toEqual(first?.data);
    expect(second?.pagination.page).toBe(2);
    expect(third?.data).not.toEqual(first?.data);
  });
});

describe('the other reads', () => {
  it('give an agent’s registration number by e-mail', async () => {
    const { data } = z
      .object({ data: z.array(z.looseObject({ email: z.string() })) })
      .parse(await (await get('/v1/users', { perPage: 1, status: 'active' })).json());
    const found = await (await get('/v1/users', { email: data[0]?.email ?? '' })).json();
    expect(found).toMatchObject({
      pagination: { total: 1 },
      data: [{ publicProfile: { compliances: [{ type: 'brn', value: expect.stringMatching(/^\d{5}$/) }] } }],
    });
  });

  it('give a permit’s page for its QR, and 404 for one that is not known', async () => {
    const permit = await (await get('/v1/compliances/7116777484/12345', { permitType: 'rera' })).json();
    expect(permit).toMatchObject({
      data: [{ validationURL: expect.stringMatching(/^https:.*7116777484$/) }],
    });
    const unknown = await get('/v1/compliances/12/12345');
    expect([unknown.status, (await unknown.json()).type]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('what stands in front of it', () => {
  it('limits the calls a minute', async () => {
    await sandbox.control.settings('listing-portal', { callsPerMinute: 2 });
    const statuses = [];
    for (let call = 1; call <= 3; call += 1) statuses.push((await get('/v1/users')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('answers 403 as a page when it takes the client for a robot', async () => {
    await sandbox.control.fault('listing-portal', { fault: 'html', path: '/v1/locations' });
    const answer = await get('/v1/locations', { search: 'dubai' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html']);
  });
});
