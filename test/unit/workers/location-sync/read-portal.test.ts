/** The changes that a read of the portal makes in the mirror. */
import { describe, expect, it } from 'vitest';
import type { KnownLocation } from '../../../../core/domain/locations/portal-locations.ts';
import type { Location } from '../../../../core/integrations/listing-portal/location.ts';
import { compareWith } from '../../../../workers/location-sync/read-portal.ts';
import { locationTree } from '../../../support/locations.ts';

const tree = locationTree([
  { id: 1, path: 'Dubai', nameAr: 'دبي' },
  { id: 2, path: 'Dubai > Dubai Marina', nameAr: 'دبي مارينا' },
]);
const known = tree.map(location => ({ ...location, gone: false }));
const marina = tree[1] ?? expect.fail();

/** The mirror's locations are compared one by one. */
function changed(known: readonly KnownLocation[], read: readonly Location[]) {
  const comparison = compareWith(read);
  for (const each of known) comparison.add([each]);
  const { created, updated, gone, matched } = comparison.end();
  const put = [...created, ...updated].map(({ id }) => id);
  return { put, gone: gone.map(({ id }) => id), created: created.length, updated: updated.length, matched };
}

describe('a read of the portal', () => {
  it('changes nothing if all locations are the same', () => {
    expect(changed(known, tree)).toEqual({ put: [], gone: [], created: 0, updated: 0, matched: 2 });
  });

  it('adds new locations', () => {
    expect(changed([], tree)).toEqual({ put: [1, 2], gone: [], created: 2, updated: 0, matched: 0 });
  });

  it.each([
    ['name', { name: 'Marina' }],
    ['type', { type: 'subcommunity' }],
    ['Arabic name', { nameAr: 'مرسى دبي' }],
    ['coordinates', { coordinates: { lat: 25, lng: 55 } }],
    ['place', { places: [marina] }],
  ])('updates a changed %s', (_, change) => {
    expect(changed(known, [tree[0] ?? expect.fail(), { ...marina, ...change }])).toMatchObject({
      put: [2],
      updated: 1,
      matched: 1,
    });
  });

  it('marks gone locations once', () => {
    expect(changed(known, tree.slice(0, 1))).toMatchObject({ gone: [2], matched: 1 });
    const marked = known.map(location => ({ ...location, gone: location.id === 2 }));
    expect(changed(marked, tree.slice(0, 1))).toMatchObject({ gone: [], put: [] });
  });

  it('restores gone locations that exist again', () => {
    const marked = known.map(location => ({ ...location, gone: location.id === 2 }));
    expect(changed(marked, tree)).toMatchObject({ put: [2], created: 1, matched: 1 });
  });

  it('keeps a known Arabic name that is missing in the read', () => {
    const withoutArabic = tree.map(location => ({
      ...location,
      nameAr: null,
      places: location.places.map(place => ({ ...place, nameAr: null })),
    }));
    expect(changed(known, withoutArabic)).toMatchObject({ put: [], matched: 2 });
  });
});
