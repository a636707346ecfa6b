import { describe, expect, it } from 'vitest';
import { amenitiesOf, amenityIcon, titleCase } from '../../../../../../workers/pdf/layout/view/amenities.ts';

describe('amenities', () => {
  it('are trimmed, without duplicates, in title case', () => {
    const names = amenitiesOf(
      ' central a/c , Balcony,balcony ,, BBQ area, view of water,✅ 24/7 Security, - maids_room ',
    );
    expect(names.map(name => name.text)).toEqual([
      'Central A/C',
      'Balcony',
      'BBQ Area',
      'View of Water',
      '24/7 Security',
      'Maids Room',
    ]);
  });

  it('are separated by Arabic commas too', () => {
    expect(amenitiesOf('مسبح خاص، حديقة')).toEqual([
      { text: 'مسبح خاص', dir: 'rtl', lang: 'ar' },
      { text: 'حديقة', dir: 'rtl', lang: 'ar' },
    ]);
  });

  it.each([
    ['SHARED POOL', 'Shared Pool'],
    ['BBQ', 'BBQ'],
    ['walk-in closet', 'Walk-In Closet'],
    ["children's play area", "Children's Play Area"],
  ])('%s is changed to %s', (raw, expected) => {
    expect(titleCase(raw)).toBe(expected);
  });
});

describe('the icons of amenities', () => {
  it.each([
    ['Built in Wardrobes', 'Walk-in Closet'],
    ['Private Pool', 'Jacuzzi'],
  ])('%s and %s differ', (one, other) => {
    expect(amenityIcon(one)).not.toBe(amenityIcon(other));
  });
});
