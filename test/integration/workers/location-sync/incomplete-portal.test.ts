/** A portal whose searches return only some of its locations does not end in a mirror that looks complete. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPortalLocations } from '../../../../core/domain/locations/portal-locations.ts';
import contract from '../../../../workers/location-sync/contract.ts';
import handler from '../../../../workers/location-sync/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

const city = 'Umm Al Quwain';
const paths = { update: '/apps/listing-portal/v1/locations/update', sync: '/apps/crm/v1/locations/sync' };

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  sandbox = await startSandbox();
  const oneAttempt = { ...contract, attempts: 1 };
  service = await startTestService('incomplete-portal', {
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, oneAttempt]]),
    env: { LISTING_PORTAL_CALLS_PER_MINUTE: '100000', CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
  });
  service.startWorker([{ contract: oneAttempt, handler: await handler.open({}, service) }]);
  client = await service.client(['crm:sync', 'portal:read']);
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
});
afterAll(async () => {
  await service?.close();
  await sandbox?.close();
});

const search = (ownNameOnly: boolean) => sandbox.control.settings('listing-portal', { callLimit: false, ownNameOnly });

async function run(what: keyof typeof paths, scope: { city?: string }) {
  const { id } = await client.requestJob('POST', paths[what], { body: { dryRun: false, scope } });
  const job = await client.waitForJob(id, ({ state }) => ['held', 'succeeded', 'failed'].includes(state));
  if (job.state === 'held') await client.request('DELETE', `/jobs/${id}`);
  return { state: job.state, warnings: job.warnings, ...contract.result.parse(job.result) };
}
const copied = async () => (await createPortalLocations(service.database).ids()).length;

describe('a search that matches only the own names of locations', () => {
  beforeAll(() => search(true));

  it('holds a first update, because the locations of the own listings are missing', async () => {
    const before = await copied();
    const { state, read, heldBecause } = await run('update', {});
    expect(state).toBe('held');
    expect(read).toBeLessThan(6_000);
    expect(heldBecause?.join()).toMatch(/did not return \d+ or more locations that it has, such as \d+ \(.+\)/);
    expect(await copied()).toBe(before);
  });

  it('holds a first update of a city, which has nothing to compare with', async () => {
    const { state, heldBecause } = await run('update', { city: 'Fujairah' });
    expect(state).toBe('held');
    expect(heldBecause?.join()).toMatch(/This is the first read of the listing portal: it returned [\d,]+ locations/);
  });

  it('holds a sync, because locations of the CRM are missing', async () => {
    const before = (await sandbox.control.rows('crm', 'locations')).count;
    const { state, heldBecause } = await run('sync', { city });
    expect(state).toBe('held');
    expect(heldBecause?.join()).toContain('did not return');
    expect((await sandbox.control.rows('crm', 'locations')).count).toBe(before);
  });
});

describe('a search that matches the names of the whole path', () => {
  beforeAll(() => search(false));

  it('holds a complete first update too, and says how many of its locations are confirmed', async () => {
    const { state, heldBecause } = await run('update', { city });
    expect(state).toBe('held');
    expect(heldBecause).toEqual([
      expect.stringMatching(/it returned 126 locations, of which the CRM and the own listings confirm [1-9]\d*\./),
    ]);
  });

  it('after the release of a first update, holds a later one when it matches less', async () => {
    const scope = { city: 'Ras Al Khaimah' };
    const { id } = await client.requestJob('POST', paths.update, { body: { dryRun: false, scope } });
    const { created } = contract.result.parse((await client.releasedJob(id)).result);
    expect(created).toBeGreaterThan(100);
    await search(true);
    const { state, heldBecause } = await run('update', scope);
    await search(false);
    expect(state).toBe('held');
    expect(heldBecause?.join()).toContain('did not return');
    expect((await run('update', scope)).matched).toBe(created);
  });

  it('is reported when the own listings cannot be compared', async () => {
    await sandbox.control.fault('listing-portal', { fault: 'html-404', path: '/v1/listings', times: 10 });
    const { warnings } = await run('update', { city: 'Ajman' });
    await sandbox.control.endFaults('listing-portal');
    expect(warnings).toMatchObject([{ code: 'listings-not-read' }]);
  });
});
