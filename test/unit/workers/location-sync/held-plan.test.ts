/** The stored plan of a location sync: without the path of each location, which is put together again. */
import { expect, it } from 'vitest';
import type { PortalLocations } from '../../../../core/domain/locations/portal-locations.ts';
import type { Location } from '../../../../core/integrations/listing-portal/location.ts';
import { HeldPlan, stored, withPlaces } from '../../../../workers/location-sync/held-plan.ts';
import { locationTree } from '../../../support/locations.ts';

const tree = locationTree([
  { id: 1, path: 'Dubai', nameAr: 'دبي' },
  { id: 2, path: 'Dubai > Dubai Marina' },
  { id: 3, path: 'Dubai > Dubai Marina > Marina Gate' },
  { id: 4, path: 'Dubai > Dubai Marina > Marina Gate > Marina Gate 1' },
]);
const plan = (put: readonly object[]) => ({
  stage: 'apply',
  asOf: '2026-01-01T00:00:00.000Z',
  read: 4,
  crm: null,
  portal: { put, gone: [], created: put.length, updated: 0, matched: 0 },
});
/** Has the first locations of the tree. */
const mirrorOf = (count: number): Pick<PortalLocations, 'some'> => ({
  some: async ids => tree.slice(0, count).filter(({ id }) => ids.includes(id)),
});
const read = (put: readonly object[]) => {
  const parsed = HeldPlan.parse(JSON.parse(JSON.stringify(plan(put))));
  return parsed.stage === 'apply' ? parsed.portal.put : expect.fail();
};

it.each([0, 1, 3])('gives locations their paths again, of which the mirror has the first %i', async count => {
  const put: Location[] = tree.slice(count);
  expect([...(await withPlaces(read(put.map(stored).reverse()), mirrorOf(count)))]).toEqual([...put].reverse());
});

it('reads the plan of an earlier version, which stored each location with its path', async () => {
  expect([...(await withPlaces(read(tree), mirrorOf(0)))]).toEqual(tree);
});
