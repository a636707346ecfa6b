/** What the listing portal receives: searches, permits and tokens. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import type { ListingPortal } from '../../../../../core/integrations/listing-portal/system.ts';
import listingPortal from '../../../../../core/integrations/listing-portal/system.ts';
import { once, openClient, type Reply, recordedBudgets, useVendor, vendorContext } from '../../../../support/vendor.ts';

const token = 'POST /v1/auth/token';
const locations = 'GET /v1/locations';
const permit = 'GET /v1/compliances/7116%2F1/CN-1';

const vendor = await useVendor();
let portal: ListingPortal;

const settings = () => ({
  LISTING_PORTAL_URL: vendor.url,
  LISTING_PORTAL_API_KEY: 'key',
  LISTING_PORTAL_API_SECRET: 'secret',
});

beforeEach(() => {
  vendor.on(
    token,
    { json: { accessToken: 'first', expiresIn: 1_800 } },
    { json: { accessToken: 'second', expiresIn: 9 } },
  );
  portal = openClient(listingPortal, settings());
});
afterEach(() => vi.useRealTimers());

const found = (total: number, ...data: object[]): Reply => ({
  json: { data, pagination: { total, page: 1, totalPages: 1 } },
});
const dubai = { id: 1, type: 'CITY', name: 'Dubai' };

describe('the search for locations', () => {
  it('asks with all members of the query in the portal’s form', async () => {
    vendor.on(locations, found(0));
    const query = { term: 'Marina', type: 'tower', parent: ['Dubai', 'Dubai Marina'], id: 7, page: 2, perPage: 10 };
    await once(() => portal.searchLocations({ ...query, language: 'ar' }));
    const [signedIn, searched] = vendor.received;
    expect(signedIn?.body).toEqual({ apiKey: 'key', apiSecret: 'secret' });
    expect(searched?.query).toEqual({
      search: 'Marina',
      'filter[type]': 'TOWER',
      'filter[parent]': 'Dubai, Dubai Marina',
      'filter[id]': '7',
      page: '2',
      perPage: '10',
    });
    expect(searched?.headers).toMatchObject({ authorization: 'Bearer first', 'accept-language': 'ar' });
  });

  it('asks for the first 100 in English by default', async () => {
    vendor.on(locations, found(250, dubai));
    expect(await once(() => portal.searchLocations({ term: 'Dubai' }))).toEqual({
      total: 250,
      unreadable: [],
      locations: [expect.objectContaining({ id: 1, type: 'city', name: 'Dubai' })],
    });
    expect(vendor.received[1]?.query).toEqual({ search: 'Dubai', page: '1', perPage: '100' });
    expect(vendor.received[1]?.headers['accept-language']).toBe('en');
  });

  it('is used by the crawl', async () => {
    vendor.on(locations, ({ query }) =>
      query['filter[type]'] === 'CITY' ? found(1, dubai) : found(query.perPage === '1' ? 1 : 0),
    );
    const crawl = await once(() => portal.crawlLocations({ city: 'Dubai' }));
    expect(crawl).toMatchObject({ warnings: [], locations: [{ id: 1, name: 'Dubai' }] });
  });

  it('is the probe, with one location', async () => {
    vendor.on(locations, found(1, dubai));
    await once(() => listingPortal.probe(vendorContext(settings())));
    expect(vendor.received[1]?.query).toEqual({ search: 'Dubai', page: '1', perPage: '1' });
  });
});

describe('the own listings', () => {
  const listings = 'GET /v1/listings';

  it('are read page by page; those without a location are left out', async () => {
    const page = (nextPage: number | null, ...results: object[]) => ({ json: { results, pagination: { nextPage } } });
    vendor.on(listings, ({ query }) =>
      query.page === '1'
        ? page(2, { id: 'a', location: { id: 50 } }, { id: 'b', location: { id: '51' } })
        : page(null, { id: 'c', location: null }, { id: 'd' }, { id: 'e', location: { id: 50 } }),
    );
    expect(await once(() => portal.listedLocations())).toEqual(new Set([50, 51]));
    expect(vendor.received.slice(1).map(({ query }) => query)).toEqual([
      { page: '1', perPage: '50' },
      { page: '2', perPage: '50' },
    ]);
  });

  it('end at a page that names itself as the next one', async () => {
    vendor.on(listings, { json: { results: [{ location: { id: 50 } }], pagination: { nextPage: 1 } } });
    expect(await once(() => portal.listedLocations())).toEqual(new Set([50]));
  });
});

describe('a permit', () => {
  const wanted = { permitNumber: '7116/1', licenceNumber: 'CN-1', permitType: 'rera' } as const;

  it('is read by its number, licence and type, which the portal requires', async () => {
    vendor.on(permit, { json: { data: [{ permitNumber: 7116 }] } });
    expect(await once(() => portal.permit(wanted))).toMatchObject({ permitNumber: '7116' });
    expect(vendor.received[1]?.query).toEqual({ permitType: 'rera' });
  });

  it.each([{ json: { data: [] } }, { status: 404, json: {} }])('is not found: %j', async reply => {
    vendor.on(permit, reply);
    expect(await once(() => portal.permit(wanted))).toBeUndefined();
  });
});

describe('the token', () => {
  it('is replaced a minute before the end of its lifetime', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    vendor.on(locations, found(0));
    for (const seconds of [0, 1_739, 1_740]) {
      vi.setSystemTime(seconds * 1_000);
      await once(() => portal.searchLocations({ term: 'Dubai' }));
    }
    expect(vendor.received.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
    ]);
  });

  it('is replaced, and the call repeated, when the portal rejects it', async () => {
    vendor.on(locations, { status: 401, json: {} }, found(0));
    await once(() => portal.searchLocations({ term: 'Dubai' }));
    expect(vendor.calls()).toEqual([token, locations, token, locations]);
  });

  it('is an error with the portal’s code when the portal issues none', async () => {
    vendor.on(token, { status: 400, json: { type: 'AUTHENTICATION' } });
    await expect(once(() => portal.searchLocations({ term: 'Dubai' }))).rejects.toMatchObject({
      failure: { kind: 'rejected', status: 400, code: 'AUTHENTICATION' },
    });
  });
});

it('the calls of a minute are limited: a sixth at once, and the rest spread over it; tokens apart', async () => {
  vendor.on(locations, found(0));
  const { budgets, taken } = recordedBudgets();
  const limited = openClient(listingPortal, { ...settings(), LISTING_PORTAL_CALLS_PER_MINUTE: '600' }, { budgets });
  await withCallContext({ priority: 'background' }, () => limited.searchLocations({ term: 'Dubai' }));
  expect(taken).toEqual([
    { budget: { name: 'listing-portal-tokens', capacity: 10, perSecond: 50 / 60, reserve: 0 }, limit: 10 },
    { budget: { name: 'listing-portal', capacity: 100, perSecond: 500 / 60, reserve: 10 }, limit: 90 },
  ]);
});

it('the sandbox serves the system with its own key', async () => {
  vendor.on('POST /listing-portal/v1/auth/token', { json: { accessToken: 'sandbox', expiresIn: 1_800 } });
  vendor.on('GET /listing-portal/v1/locations', found(0));
  const served = openClient(listingPortal, {}, { sandboxUrl: vendor.url });
  await once(() => served.searchLocations({ term: 'Dubai' }));
  expect(vendor.received[0]?.body).toEqual({
    apiKey: `sandbox${'0'.repeat(33)}`,
    apiSecret: `sandbox${'0'.repeat(25)}`,
  });
});
