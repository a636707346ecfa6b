import { describe, expect, it } from 'vitest';
import { badgeOf, placeOf } from '../../../../../../workers/pdf/layout/view/listing.ts';

describe('the badge', () => {
  it.each([
    ['Sale', 'Ready', 'For sale'],
    ['For Sale', '', 'For sale'],
    ['sale', 'off_plan', 'Off-plan'],
    ['Sale', 'Off-Plan', 'Off-plan'],
    ['', 'off_plan_primary', 'Off-plan'],
    ['Rent', 'off_plan', 'For rent'],
    ['RENT', 'completed', 'For rent'],
    ['Short stay', '', 'Short stay'],
    ['', 'completed', undefined],
  ])('of purpose "%s" and completion "%s" is %s', (purpose, completion_status, expected) => {
    expect(badgeOf({ purpose, completion_status })?.label).toBe(expected);
  });
});

describe('the place', () => {
  const noPlace = { tower_name: '', property_name: '', sub_community: '', community: '', city: '' };

  it.each<[Partial<typeof noPlace>, string]>([
    [{}, ''],
    [{ city: 'Dubai' }, 'Dubai'],
    [{ tower_name: 'Aurora Tower', property_name: 'aurora tower', city: 'Dubai' }, 'aurora tower, Dubai'],
    [
      { property_name: 'Saheel Villas', sub_community: 'Saheel', community: 'Arabian Ranches' },
      'Saheel Villas, Arabian Ranches',
    ],
    [{ tower_name: 'Heights', property_name: 'Heights Tower 1', city: 'Dubai' }, 'Heights Tower 1, Dubai'],
    [{ community: 'Dubai Marina', city: 'Dubai' }, 'Dubai Marina, Dubai'],
    [{ community: 'Sharjah', city: 'sharjah' }, 'Sharjah'],
  ])('of %j is "%s"', (fields, expected) => {
    expect(
      placeOf({ ...noPlace, ...fields })
        .map(name => name.text)
        .join(', '),
    ).toBe(expected);
  });
});
