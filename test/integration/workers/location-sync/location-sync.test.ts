/** Locations come from the listing portal into the local copy and the CRM: whole or not at all, and each once. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPortalLocations } from '../../../../core/db/portal-locations.ts';
import contract from '../../../../workers/location-sync/contract.ts';
import handler from '../../../../workers/location-sync/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

// A job that meets a broken system is to end in time for a test.
const oneAttempt = { ...contract, attempts: 1, backoffMs: 10 };

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  sandbox = await startSandbox();
  service = await startTestService('location-sync', {
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, oneAttempt]]),
    env: { LISTING_PORTAL_CALLS_PER_MINUTE: '100000', CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '1000' },
  });
  service.startWorker([{ contract: oneAttempt, handler: await handler.open({}, service) }]);
  client = await service.client(['crm:sync', 'portal:read', 'jobs:all']);
  await calm();
});
afterAll(async () => {
  await service?.close();
  await sandbox?.close();
});
afterEach(async () => {
  await sandbox.control.reset('listing-portal');
  await calm();
});

/** Takes the limits off: they have tests of their own. */
async function calm(): Promise<void> {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('listing-portal', { callLimit: false });
}

const run = async (path: string, body: object = {}) =>
  await client.askJob('POST', path, { headers: { prefer: 'wait=60' }, body });
const update = (body: object = {}) => run('/apps/listing-portal/v1/locations/update', body);
const sync = (body: object = {}) => run('/apps/crm/v1/locations/sync', body);

describe('x', () => {
  it('whole', async () => {
    let t = performance.now();
    const job = await update();
    console.log(performance.now() - t, JSON.stringify(job.result ?? job.error).slice(0, 1500));
    t = performance.now();
    const again = await update();
    console.log(performance.now() - t, JSON.stringify(again.result ?? again.error).slice(0, 500));
    console.log((await sandbox.control.requests('listing-portal')).byStatus);
    t = performance.now();
    const dry = await sync({ dryRun: true });
    console.log(performance.now() - t, JSON.stringify(dry.result ?? dry.error).slice(0, 3000));
    t = performance.now();
    const synced = await sync();
    console.log(performance.now() - t, synced.state, JSON.stringify(synced.result ?? synced.error).slice(0, 3000));
    t = performance.now();
    const second = await sync();
    console.log(performance.now() - t, JSON.stringify(second.result ?? second.error).slice(0, 500));
    console.log(await createPortalLocations(service.database).asOf());
  });
});
