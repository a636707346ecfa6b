/** Locations over HTTP: search, chat-bot text, lookup by name, aliases, and the check of one location in the CRM. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createPortalLocations } from '../../../../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../../../../core/integrations/crm/system.ts';
import { locationTree } from '../../../../support/locations.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const tree = locationTree([
  { id: 1, path: 'Dubai', nameAr: 'دبي' },
  { id: 2, path: 'Sharjah', nameAr: 'الشارقة' },
  { id: 10, path: 'Dubai > Dubai Marina', nameAr: 'دبي مارينا' },
  { id: 13, path: 'Dubai > Al Nahda', nameAr: 'النهدة' },
  { id: 14, path: 'Sharjah > Al Nahda', nameAr: 'النهدة' },
  { id: 20, path: 'Dubai > Dubai Marina > Marina Gate', nameAr: 'مارينا جيت' },
]);
const asOf = new Date('2026-01-31T21:00:00.000Z');

const sandbox = useSandbox();
const service = useService('locations', () => ({
  sandboxUrl: sandbox.url,
  env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));
const client = useClient(service, ['portal:read', 'crm:sync']);
/** The replies to the searches before the first read. */
let unread: Awaited<ReturnType<typeof get>>[];

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  unread = await Promise.all(searches.map(([path, query]) => get(path, query)));
  await createPortalLocations(service.database).change(
    { put: tree, gone: [] },
    { city: undefined, read: tree.length, asOf },
  );
});

const get = (path: string, query: Record<string, string>) =>
  client.request('GET', `/apps/portal/v1/locations${path}?${new URLSearchParams(query)}`);
const post = (path: string, body: object) => client.request('POST', `/apps/crm/v1/locations${path}`, { body });

const searches = [
  ['', { search: 'marina' }],
  ['/chat-bot', { search: 'marina' }],
  ['/id', { name: 'Dubai Marina' }],
] as const;

it('before the first read of the listing portal, searches return 503 with the operation to call', () => {
  for (const [index, [path]] of searches.entries())
    expect(unread[index], path).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('POST /apps/listing-portal/v1/locations/update') },
    });
});

describe('after a read of the listing portal', () => {
  it('a search returns path, names in both languages and the time of the read', async () => {
    const { status, body } = await get('', { search: 'marina gate' });
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        {
          id: 20,
          type: 'subcommunity',
          name: 'Marina Gate',
          nameAr: 'مارينا جيت',
          path: [
            { id: 1, type: 'city', name: 'Dubai', nameAr: 'دبي' },
            { id: 10, type: 'community', name: 'Dubai Marina', nameAr: 'دبي مارينا' },
            { id: 20, type: 'subcommunity', name: 'Marina Gate', nameAr: 'مارينا جيت' },
          ],
          coordinates: null,
          score: 1,
        },
      ],
      asOf: asOf.toISOString(),
    });
  });

  it('a search can be limited by type, in any case, and by number', async () => {
    const count = async (query: Record<string, string>): Promise<number> =>
      Object((await get('', { search: 'marina', ...query })).body).items.length;
    expect(await count({})).toBe(2);
    expect(await count({ type: 'COMMUNITY' })).toBe(1);
    expect(await count({ limit: '1' })).toBe(1);
  });

  it('an invalid search returns 422 with a pointer to each error', async () => {
    expect(await get('', { search: '—', type: 'castle', limit: '51' })).toMatchObject({
      status: 422,
      body: {
        errors: [
          { pointer: '/search', detail: 'must have a letter or a digit', in: 'query' },
          { pointer: '/type', detail: expect.stringContaining('city, community'), in: 'query' },
          { pointer: '/limit', detail: 'must be a whole number from 1 to 50', in: 'query' },
        ],
      },
    });
    expect(await get('', {})).toMatchObject({ status: 422 });
  });

  it.each([
    ['marina', '1. Marina Gate — subcommunity, Dubai Marina, Dubai\n2. Dubai Marina — community, Dubai'],
    ['Dubai', '1. Dubai — city\n2. Dubai Marina — community, Dubai'],
    ['النهدة', '1. النهدة — منطقة، دبي\n2. النهدة — منطقة، الشارقة'],
    ['qqzz', 'I found no location called “qqzz”. Try the name of a community or a tower.'],
    ['ققزز', 'لم أجد موقعاً باسم «ققزز». جرّب اسم المنطقة أو البرج.'],
  ])('a search of the chat bot for %s returns a text for the user', async (search, text) =>
    expect(await get('/chat-bot', { search })).toMatchObject({ status: 200, body: { text, asOf: asOf.toISOString() } }),
  );

  it('an exact name returns its location', async () => {
    expect(await get('/id', { name: ' dubai  marina ' })).toMatchObject({
      status: 200,
      body: { id: 10, type: 'community', path: [{ id: 1 }, { id: 10 }], asOf: asOf.toISOString() },
    });
    expect(await get('/id', { name: 'النهدة', parent: 'الشارقة' })).toMatchObject({ body: { id: 14 } });
  });

  it('a name of several locations returns 409 with the candidates; `parent` selects one', async () => {
    expect(await get('/id', { name: 'Al Nahda' })).toMatchObject({
      status: 409,
      body: {
        detail: '2 locations are named Al Nahda; choose one with parent.',
        candidates: [
          { id: 13, path: [{ name: 'Dubai' }, {}] },
          { id: 14, path: [{ name: 'Sharjah' }, {}] },
        ],
      },
    });
    expect(await get('/id', { name: 'Al Nahda', parent: 'Sharjah' })).toMatchObject({ body: { id: 14 } });
  });

  it('an unknown name returns 404 with similar locations', async () => {
    const { status, headers, body } = await get('/id', { name: 'Dubia Marina' });
    expect({ status, type: headers.get('content-type') }).toMatchObject({
      status: 404,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(body).toMatchObject({ candidates: [{ id: 10, name: 'Dubai Marina' }] });
    expect(await get('/id', { name: 'Al Nahda', parent: 'Dubai Marina' })).toMatchObject({ status: 404 });
  });
});

describe('a location alias', () => {
  const path = '/apps/crm/v1/locations/aliases';
  const anyCrmLocation = async () => {
    const [found] = await crmSystem.client(service.systems).locations.findByTitle('Dubai');
    return found?.id ?? 0;
  };

  it('is created with its author, listed and deleted; each change has an audit entry', async () => {
    const crmLocationId = await anyCrmLocation();
    const alias = { portalLocationId: 1, crmLocationId };
    const created = { ...alias, decidedBy: client.clientId, decidedAt: expect.any(String) };
    expect(await post('/aliases', alias)).toMatchObject({ status: 201, body: created });
    expect(await post('/aliases', alias)).toMatchObject({ status: 200, body: created });
    await post('/aliases', { portalLocationId: 10, crmLocationId });

    const first = await client.request('GET', `${path}?limit=1`);
    expect(first.body).toMatchObject({ items: [created], nextCursor: expect.any(String) });
    const next = first.headers.get('link')?.match(/aliases(\?[^>]+)/)?.[1];
    expect(await client.request('GET', path + next)).toMatchObject({
      body: { items: [{ portalLocationId: 10 }], nextCursor: null },
    });

    expect(await client.request('DELETE', `${path}/10`)).toMatchObject({ status: 204 });
    expect(await client.request('DELETE', `${path}/10`)).toMatchObject({ status: 404 });
    await client.request('DELETE', `${path}/1`);
    const { rows } = await service.database.pool.query(
      `select action, before, after from audit_entry where target = $1 order by id`,
      [`${path}/10`],
    );
    expect(rows).toEqual([
      { action: 'crm.decideLocationAlias', before: null, after: { crmLocationId } },
      { action: 'crm.forgetLocationAlias', before: { crmLocationId }, after: null },
    ]);
  });

  it('returns 422 with a pointer to each unknown or invalid location', async () => {
    expect(await post('/aliases', { portalLocationId: 999, crmLocationId: 999_999 })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/portalLocationId' }, { pointer: '/crmLocationId' }] },
    });
    expect(await post('/aliases', { portalLocationId: 'x' })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/portalLocationId' }, { pointer: '/crmLocationId' }] },
    });
  });
});

describe('a single location checked against the CRM', () => {
  const crm = () => crmSystem.client(service.systems).locations;
  const node = (id: number, type: string, name: string) => ({ id, type, name });
  const city = node(910_000, 'CITY', 'Masdar Town');
  const community = node(910_001, 'COMMUNITY', 'Solar Heights');
  const tower = node(910_002, 'TOWER', 'Solar One');
  const location = (...path: ReturnType<typeof node>[]) => ({ ...path.at(-1), tree: path });

  it('is found by its portal id, with its path in the CRM', async () => {
    const [known] = await crm().findByTitle('Dubai Marina, Dubai');
    const id = Number(known?.portalId);
    const dubai = node(1, 'CITY', 'Dubai');
    const { status, body } = await post('/sync/test', location(dubai, node(id, 'COMMUNITY', 'Dubai Marina')));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      outcome: 'found',
      crmId: known?.id,
      reason: 'It has the portal’s id.',
      path: expect.arrayContaining([{ id: known?.id, name: 'Dubai Marina', type: 'community' }]),
    });
  });

  it('is found by its name and path in any spelling', async () => {
    const title = 'Lone Tower, Dubai Marina, Dubai';
    const added = await crm().add({ type: 'property', parentId: null, title, nameAr: null, portalId: null });
    const places = [
      node(1, 'CITY', 'DUBAI'),
      node(2, 'COMMUNITY', 'Dubai Marina'),
      node(910_009, 'TOWER', 'Lone Tower'),
    ];
    expect(await post('/sync/test', location(...places))).toMatchObject({
      body: { outcome: 'found', crmId: added.id, reason: expect.stringContaining('name and path') },
    });
  });

  it('is created with its missing ancestors, and found by the next request', async () => {
    const before = (await sandbox.control.rows('crm', 'locations')).count;
    const first = await post('/sync/test', location(city, community, tower));
    expect(first.body).toMatchObject({
      outcome: 'created',
      crmId: expect.any(Number),
      path: [
        { name: 'Masdar Town', type: 'city' },
        { name: 'Solar Heights', type: 'community' },
        { name: 'Solar One', type: 'property' },
      ],
      reason: 'It was added, with 2 of its ancestors.',
    });
    const again = await post('/sync/test', location(city, community, tower));
    expect(again.body).toMatchObject({ ...Object(first.body), outcome: 'found', reason: 'It has the portal’s id.' });
    expect((await sandbox.control.rows('crm', 'locations')).count).toBe(before + 3);
  });

  it('is created once by concurrent requests', async () => {
    const places = [node(910_010, 'CITY', 'Wadi Town'), node(910_003, 'TOWER', 'Solar Two')];
    const answers = await Promise.all([1, 2, 3].map(() => post('/sync/test', location(...places))));
    const ids = answers.map(({ body }) => Object(body).crmId);
    expect(new Set(ids).size).toBe(1);
    expect(await crm().findByPortalId('910003')).toHaveLength(1);
  });

  it('is ambiguous when the CRM has two locations with its name and path', async () => {
    const twin = { type: 'property', parentId: null, nameAr: null, portalId: null } as const;
    await crm().add({ ...twin, title: 'Solar Three, Solar Heights, Masdar Town' });
    await crm().add({ ...twin, title: 'Solar Three, Solar Heights, Masdar Town' });
    const places = [city, community, node(910_004, 'TOWER', 'Solar Three')];
    expect(await post('/sync/test', location(...places))).toMatchObject({
      body: { outcome: 'ambiguous', crmId: null, path: [], reason: expect.stringContaining('have its name and path') },
    });
  });

  it('returns 422 with a pointer to each error when it is invalid', async () =>
    expect(await post('/sync/test', { id: 'x', name: '', tree: [{}], coordinates: { lat: 91 } })).toMatchObject({
      status: 422,
      body: {
        errors: expect.arrayContaining([
          expect.objectContaining({ pointer: '/id' }),
          expect.objectContaining({ pointer: '/type' }),
          expect.objectContaining({ pointer: '/name', detail: 'must not be empty' }),
          expect.objectContaining({ pointer: '/tree/0/id' }),
          expect.objectContaining({ pointer: '/coordinates/lat' }),
        ]),
      },
    }));
});

it('a sync of an unknown city returns 422 with the known cities', async () =>
  expect(await post('/sync', { scope: { city: 'Atlantis' } })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/scope/city', detail: expect.stringContaining('Dubai, Abu Dhabi') }] },
  }));
