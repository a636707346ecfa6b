/** The first sync with a CRM that has no locations yet needs the release of one plan. */
import { beforeAll, expect, it } from 'vitest';
import contract from '../../../../workers/location-sync/contract.ts';
import handler from '../../../../workers/location-sync/handler.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useService } from '../../../support/test-service.ts';

const sandbox = useSandbox();
const service = useService('first-connection', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([[contract.kind, contract]]),
  env: { LISTING_PORTAL_CALLS_PER_MINUTE: '100000', CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('listing-portal', { callLimit: false });
  await sandbox.control.data('crm', 'locations', 'empty');
  service.startWorker([{ contract, handler: await handler.open({}, service) }]);
});

it('one release adds all of them', async () => {
  const client = await service.client(['crm:sync']);
  const body = { dryRun: false, scope: { city: 'Umm Al Quwain' } };
  const { id } = await client.requestJob('POST', '/apps/crm/v1/locations/sync', { body });
  const rest = ({ state }: { state: string }) => !['queued', 'running', 'scheduled'].includes(state);
  const held = await client.waitForJob(id, rest);
  const heldBecause = [
    expect.stringMatching(
      /^This is the first read of the listing portal: it returned 126 locations, of which the CRM and the own listings confirm 43\./,
    ),
    'In the CRM: 126 rows would be added, and there are none to compare with.',
  ];
  expect(held).toMatchObject({ state: 'held', result: { created: 126, heldBecause } });
  expect(await client.request('POST', `/jobs/${id}/release`)).toMatchObject({ status: 202 });
  const done = await client.waitForJob(id, rest);
  expect(done).toMatchObject({ state: 'succeeded', error: null, result: { created: 126, failed: 0 } });
  expect((await sandbox.control.rows('crm', 'locations')).count).toBe(126);
});
