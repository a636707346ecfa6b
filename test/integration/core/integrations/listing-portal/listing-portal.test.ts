/** The listing-portal connector against the simulated portal: credentials, searches, errors. */
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { CallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import listingPortalSystem, { type ListingPortal } from '../../../../../core/integrations/listing-portal/system.ts';
import { useSandbox } from '../../../../support/sandbox.ts';

const system = 'listing-portal';
const sandbox = useSandbox();

afterEach(() => sandbox.control.reset(system));

/** Without rate limits, which another test covers. */
const unlimited: CallBudgets = { take: async () => undefined, block: async () => {} };

function openClient(env: Record<string, string> = {}, budgets = unlimited): ListingPortal {
  const options = { env, sandboxUrl: sandbox.url, budgets, logger: pino({ level: 'silent' }) };
  return listingPortalSystem.client(openIntegrationContext(options));
}

const interactively = <T>(work: () => Promise<T>): Promise<T> => withCallContext({ priority: 'interactive' }, work);
const dubai = { term: 'Dubai', perPage: 1 };

it('no access token is issued for wrong credentials; the error names them', async () => {
  const portal = openClient({
    LISTING_PORTAL_URL: `${sandbox.url}/listing-portal`,
    LISTING_PORTAL_API_KEY: 'x'.repeat(40),
    LISTING_PORTAL_API_SECRET: 'y'.repeat(32),
  });
  await expect(portal.searchLocations(dubai)).rejects.toMatchObject({
    message: expect.stringMatching(/^The listing portal rejects our credentials: .+ \(AUTHENTICATION\)\.$/),
    failure: { status: 401, code: 'AUTHENTICATION' },
  });
});

describe('a search', () => {
  it('returns locations with their path in the requested language', async () => {
    const portal = openClient();
    const query = { term: 'Dubai Marina', type: 'community', perPage: 1 };
    const { total, locations } = await portal.searchLocations(query);
    expect({ total, names: locations.map(({ name }) => name) }).toEqual({ total: 1, names: ['Dubai Marina'] });
    expect(locations[0]).toMatchObject({
      type: 'community',
      path: [{ type: 'city', name: 'Dubai' }, { name: 'Dubai Marina' }],
      coordinates: { lat: expect.any(Number), lng: expect.any(Number) },
    });
    const { locations: arabic } = await portal.searchLocations({ ...query, language: 'ar' });
    expect(arabic[0]).toMatchObject({ id: locations[0]?.id, name: expect.stringMatching(/\p{Script=Arabic}/u) });
  });

  it('can be restricted to a parent and to an id', async () => {
    const portal = openClient();
    const below = await portal.searchLocations({ term: 'Marina', parent: ['Dubai', 'Dubai Marina'] });
    expect(below.locations.every(({ path }) => path[1]?.name === 'Dubai Marina')).toBe(true);
    const id = below.locations[0]?.id ?? 0;
    const one = await portal.searchLocations({ term: 'Marina', id });
    expect(one.locations.map(location => location.id)).toEqual([id]);
  });

  it('that the portal rejects is not retried, and the error has the portal’s reason for the log', () =>
    expect(openClient().searchLocations({ term: 'x' })).rejects.toMatchObject({
      code: 'upstream-failed',
      transient: false,
      failure: { status: 400, code: 'SCHEMA_VALIDATION' },
    }));
});

describe('transient failures', () => {
  it.each(['html', 'error-500', 'malformed', 'drop-after-commit'] as const)('%s is retried', async fault => {
    const portal = openClient();
    await sandbox.control.fault(system, { fault, path: '/v1/locations' });
    expect((await portal.searchLocations(dubai)).locations).toHaveLength(1);
  });

  it('a web page of the CDN is never shown to a caller', async () => {
    await sandbox.control.fault(system, { fault: 'html', path: '/v1/locations', times: 10 });
    const failed = interactively(() => openClient().searchLocations(dubai));
    await expect(failed).rejects.toMatchObject({
      message: 'The listing portal failed: a page instead of data (html).',
      transient: true,
      failure: { status: 403, code: 'html' },
    });
  });

  it('an exceeded limit pauses all our processes, also without Retry-After', async () => {
    const waits: number[] = [];
    const noticed = new AbortController();
    const budgets = {
      take: async () => undefined,
      async block(_: string, ms: number) {
        waits.push(ms);
        noticed.abort();
      },
    };
    await sandbox.control.fault(system, { fault: 'limit', path: '/v1/locations', times: 10 });
    const portal = openClient({}, budgets);
    const scope = { priority: 'background', signal: noticed.signal } as const;
    await expect(withCallContext(scope, () => portal.searchLocations(dubai))).rejects.toThrow();
    expect(waits).toEqual([5_000]);
  });
});

describe('a permit', () => {
  const rera = { permitNumber: '7116790417', licenceNumber: '12345', permitType: 'rera' } as const;

  it('has the regulator’s page, the end of its validity and the registered values', async () => {
    const permit = await openClient().permit(rera);
    expect(permit).toEqual({
      permitNumber: '7116790417',
      startsAt: expect.any(String),
      expiresAt: expect.any(String),
      validationUrl: expect.stringMatching(/\?khevJujtDig=\w{48}$/),
      registered: {
        permitType: 'rera',
        price: '2150000',
        size: '742',
        bedrooms: '1',
        projectNumber: '2871',
        developer: '',
      },
    });
    expect(permit?.validationUrl).not.toContain(rera.permitNumber);
  });

  it('that does not exist is undefined', async () =>
    expect(await openClient().permit({ ...rera, permitNumber: '1' })).toBeUndefined());
});
