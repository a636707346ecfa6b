import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import { detailsOf, factsOf, sizeOf } from '../../../../../../workers/pdf/layout/view/facts.ts';
import { badgeOf } from '../../../../../../workers/pdf/layout/view/listing.ts';
import { priceOf } from '../../../../../../workers/pdf/layout/view/price.ts';
import { extractDescribedFacts, readDescription } from '../../../../../../workers/pdf/layout/view/story.ts';
import { kindOf } from '../../../../../../workers/pdf/layout/view/vocabulary.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const listing = (fields: object) => Listing.parse({ reference_number: 'R1', title_en: 'Home', ...fields });

const shown = (fields: object) => {
  const one = listing(fields);
  const facts = factsOf(one);
  const rows = detailsOf(one, labelsOf('en'), facts).map(({ label, value }) => `${label}: ${value.text}`);
  return { facts: facts.map(({ label, value }) => `${label}: ${value.replaceAll('\u2009', ' ')}`), rows };
};

const facts = (fields: object) =>
  factsOf(listing(fields)).map(({ value, label }) => `${value.replaceAll('\u2009', ' ')} ${label}`);

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
    'does not show a %s with 0 bedrooms as a studio',
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
  ])('of %s square feet is rounded down', (text, feet, metres) => {
    expect(sizeOf(text)).toBe(
      metres === '' ? `${feet}\u2009sq\u2009ft` : `${feet}\u2009sq\u2009ft · ${metres}\u2009m²`,
    );
  });
});

describe('facts and details of a kind', () => {
  it('show handover and payment plan of an off-plan home', () => {
    const { facts, rows } = shown({
      property_type: 'Apartment',
      purpose: 'Sale',
      completion_status: 'off_plan',
      bedroom: '1',
      bathroom: '1',
      size: '742',
      parking: '1',
      description_en: 'Handover: Q4 2028\nPayment plan: 60/40\nDeveloper: Cove\n\nA terrace for six.',
    });
    expect(facts).toEqual([
      'Bedroom: 1',
      'Bathroom: 1',
      'Size: 742 sq ft · 69 m²',
      'Handover: Q4 2028',
      'Payment plan: 60/40',
    ]);
    expect(rows).toEqual([
      'Reference: R1',
      'Property type: Apartment',
      'Completion: Off-plan',
      'Parking bay: 1',
      'Developer: Cove',
    ]);
  });

  it('show fit-out and parking, not bedrooms, of an office', () => {
    const { facts } = shown({
      property_type: 'Office',
      purpose: 'Rent',
      bedroom: '0',
      bathroom: '2',
      size: '3850',
      parking: '6',
      property_condition: 'Fitted',
    });
    expect(facts).toEqual(['Size: 3,850 sq ft · 358 m²', 'Fit-out: Fitted', 'Parking bays: 6', 'Washrooms: 2']);
  });

  it('show size, zoning and permitted height, not rooms, of a plot', () => {
    const { facts, rows } = shown({
      property_type: 'Land',
      purpose: 'Sale',
      completion_status: 'Ready',
      bedroom: '0',
      bathroom: '0',
      parking: '0',
      furnished: 'No',
      size: '14020',
      description_en: 'Zoning: Residential\nPermitted height: B+G+2',
    });
    expect(facts).toEqual(['Plot size: 14,020 sq ft · 1,303 m²', 'Zoning: Residential', 'Permitted height: B+G+2']);
    expect(rows).toEqual(['Reference: R1', 'Property type: Land']);
  });

  it('show guests, minimum stay and the price per night of a holiday home', () => {
    const fields = {
      property_type: 'Apartment',
      purpose: 'Rent',
      rental_period: 'Daily',
      price: '2400',
      size: '1890',
      bedroom: '3',
      description_en: 'Guests: 6\nMinimum stay: 3 nights\nCheck-in: from 15:00',
    };
    const { facts, rows } = shown(fields);
    expect(facts).toEqual(['Guests: 6', 'Bedrooms: 3', 'Size: 1,890 sq ft · 176 m²', 'Minimum stay: 3 nights']);
    expect(rows).toContain('Check-in: from 15:00');
    const one = listing(fields);
    expect(priceOf(one, labelsOf('en'), kindOf(one))).toMatchObject({ terms: '/ night', perSquareFoot: '' });
    expect(badgeOf(one, labelsOf('en'), kindOf(one))?.label).toBe('Holiday home');
  });
});

describe('described facts', () => {
  it('are removed from the text, except a second line for the same fact', () => {
    const { described, rest } = extractDescribedFacts('A plot.\n• Zoning: Residential\nZoning: mixed\n\nCall us.');
    expect([...described]).toEqual([['zoning', 'Residential']]);
    expect(rest).toBe('A plot.\nZoning: mixed\n\nCall us.');
  });

  it.each([
    'The handover: a day we look forward to, when all the neighbours come.',
    'Viewing: Saturday',
    'Floor: marble. Walls: lime.',
    'https://example.com/floor',
    'Note: floor: 3',
  ])('are not found in "%s"', text => {
    expect(extractDescribedFacts(text)).toEqual({ described: new Map(), rest: text });
  });

  it('are removed with a heading that has no other text', () => {
    const text = 'A flat.\n\nTerms:\n- Deposit: 5%\n- Available: now';
    expect(readDescription(listing({ description_en: text })).story.map(block => block.paragraph?.text)).toEqual([
      'A flat.',
    ]);
  });
});
