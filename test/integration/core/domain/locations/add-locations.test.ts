/** Locations whose single commands the CRM did not execute are looked up and added again, each once. */
import { beforeAll, expect, it } from 'vitest';
import { addLocations } from '../../../../../core/domain/locations/add-locations.ts';
import crmSystem, { type Crm } from '../../../../../core/integrations/crm/system.ts';
import { locationTree } from '../../../../support/locations.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useService } from '../../../../support/test-service.ts';

const sandbox = useSandbox();
const service = useService('add locations', () => ({
  sandboxUrl: sandbox.url,
  env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));
let crm: Crm;

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  crm = crmSystem.client(service.systems);
});

it.each([
  { code: 'INTERNAL_SERVER_ERROR', executed: true, from: 5_000_000 },
  { code: 'INTERNAL_SERVER_ERROR', executed: false, from: 5_100_000 },
  { code: 'OPERATION_TIME_LIMIT', executed: false, from: 5_200_000 },
])('adds each location once after $code (executed: $executed)', async ({ code, executed, from }) => {
  const portalIds = Array.from({ length: 12 }, (_, index) => from + index);
  const tree = locationTree(portalIds.map(id => ({ id, path: `City ${id}` })));
  const fault = { fault: 'command-error', path: 'crm.item.add', times: 8, skip: 2, delayMs: 1 } as const;
  await sandbox.control.fault('crm', { ...fault, code, executed });
  const outcomes = await addLocations(
    { crm, effects: service.effects },
    tree.map(location => ({ location, parentId: null })),
  );
  const found = await Promise.all(portalIds.map(id => crm.locations.findByPortalId(String(id))));
  expect(found.map(rows => rows.map(({ id }) => ({ crmId: id })))).toEqual(
    outcomes.map(one => [{ crmId: 'crmId' in one ? one.crmId : one.rejected }]),
  );
});

it('does not add a location whose portal id the CRM has', async () => {
  const [location] = locationTree([{ id: 5_300_000, path: 'Dubai' }]);
  if (!location) throw new Error('no location');
  const { id } = await crm.locations.add({
    parentId: null,
    type: 'city',
    title: 'Another title',
    nameAr: null,
    portalId: '5300000',
  });
  const services = { crm, effects: service.effects };
  expect(await addLocations(services, [{ location, parentId: null }])).toEqual([{ crmId: id, existed: true }]);
  expect(await addLocations(services, [{ location, parentId: null }])).toEqual([{ crmId: id, existed: true }]);
  expect(await crm.locations.findByPortalId('5300000')).toHaveLength(1);
});
