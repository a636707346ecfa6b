import { describe, expect, it } from 'vitest';
import { factsOf, sizeOf } from '../../../../../../workers/pdf/layout/view/facts.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const facts = (fields: object) =>
  factsOf(Listing.parse({ reference_number: 'R1', title_en: 'Home', ...fields })).map(
    ({ value, label }) => `${value.replaceAll('\u2009', ' ')} ${label}`,
  );

describe('the facts row', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ bedroom: '2', bathroom: '3' }, ['2 Bedrooms', '3 Bathrooms']],
    [{ bedroom: '1', bathroom: '1', parking: '1' }, ['1 Bedroom', '1 Bathroom', '1 Parking bay']],
    [{ bedroom: '0', property_type: 'Apartment' }, ['Studio Bedrooms']],
    [{ bedroom: '0' }, ['Studio Bedrooms']],
    [{ bedroom: 'Studio' }, ['Studio Bedrooms']],
    [{ bedroom: '7+', bathroom: '3.5' }, ['7+ Bedrooms', '3.5 Bathrooms']],
    [{ bathroom: '0', parking: '0', size: '0' }, []],
    [{ size: '1312.50' }, ['1,312 sq ft · 122 m² Size']],
    [{ size: 'Over 5,000' }, ['Over 5,000 Size']],
    [{ furnished: 'Yes' }, ['Furnished Furnishing']],
    [{ furnished: 'No' }, ['Unfurnished Furnishing']],
    [{ furnished: 'Furnished', furnishing_type: 'Semi-Furnished' }, ['Partly furnished Furnishing']],
  ])('of %j is %j', (fields, expected) => {
    expect(facts(fields)).toEqual(expected);
  });

  it.each(['Office', 'Land', 'Plot', 'Retail', 'Warehouse'])(
    'calls no %s with 0 bedrooms a studio',
    property_type => {
      expect(facts({ bedroom: '0', property_type })).toEqual([]);
    },
  );
});

describe('a size', () => {
  it.each([
    ['1312.50', '1,312', '122'],
    ['1,312', '1,312', '122'],
    ['1312.99', '1,312', '122'],
    ['5', '5', ''],
  ])('of %s square feet promises no more than it has', (text, feet, metres) => {
    expect(sizeOf(text)).toBe(
      metres === '' ? `${feet}\u2009sq\u2009ft` : `${feet}\u2009sq\u2009ft · ${metres}\u2009m²`,
    );
  });
});
