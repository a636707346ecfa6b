import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import { badgeOf } from '../../../../../../workers/pdf/layout/view/badge.ts';
import { detailsOf } from '../../../../../../workers/pdf/layout/view/details.ts';
import { factsOf } from '../../../../../../workers/pdf/layout/view/facts.ts';
import { kindOf } from '../../../../../../workers/pdf/layout/view/listing-kind.ts';
import { priceOf } from '../../../../../../workers/pdf/layout/view/price.ts';
import { takeSaidFacts } from '../../../../../../workers/pdf/layout/view/said-facts.ts';
import { storyOf } from '../../../../../../workers/pdf/layout/view/story.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const listing = (fields: object) => Listing.parse({ reference_number: 'R1', title_en: 'Home', ...fields });

const said = (fields: object) => {
  const one = listing(fields);
  const facts = factsOf(one);
  const rows = detailsOf(one, labelsOf('en'), facts).map(({ label, value }) => `${label}: ${value.text}`);
  return { facts: facts.map(({ label, value }) => `${label}: ${value.replaceAll('\u2009', ' ')}`), rows };
};

describe('the kind of a listing', () => {
  it.each([
    [{ property_type: 'Villa', purpose: 'Sale' }, 'home'],
    [{ property_type: '', purpose: '' }, 'home'],
    [{ property_type: 'Apartment', purpose: 'Sale', completion_status: 'off_plan_primary' }, 'off-plan'],
    [{ property_type: 'Apartment', purpose: 'Rent', completion_status: 'off_plan' }, 'home'],
    [{ property_type: 'Holiday home', purpose: 'Rent' }, 'holiday'],
    [{ property_type: 'Apartment', purpose: 'Rent', rental_period: 'Daily' }, 'holiday'],
    [{ property_type: 'Apartment', purpose: 'Rent', rental_period: 'Yearly' }, 'home'],
    [{ property_type: 'Office', purpose: 'Rent', rental_period: 'Daily' }, 'commercial'],
    [{ property_type: 'Retail', purpose: 'Sale' }, 'commercial'],
    [{ property_type: 'residential_land', purpose: 'Sale' }, 'land'],
    [{ property_type: 'Plot', purpose: 'Sale' }, 'land'],
  ])('of %j is %s', (fields, kind) => {
    expect(kindOf(listing(fields))).toBe(kind);
  });
});

describe('each kind shows what matters for it', () => {
  it('an off-plan home: when it is handed over, and how it is paid', () => {
    const { facts, rows } = said({
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

  it('an office: how it is fitted and where one parks, and no bedrooms', () => {
    const { facts } = said({
      property_type: 'Office',
      purpose: 'Rent',
      bedroom: '0',
      bathroom: '2',
      size: '3850',
      parking: '6',
      property_condition: 'Fitted',
    });
    expect(facts).toEqual([
      'Size: 3,850 sq ft · 358 m²',
      'Fit-out: Fitted',
      'Parking bays: 6',
      'Washrooms: 2',
    ]);
  });

  it('a plot: its size and what may be built, and nothing of a home', () => {
    const { facts, rows } = said({
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
    expect(facts).toEqual([
      'Plot size: 14,020 sq ft · 1,303 m²',
      'Zoning: Residential',
      'Permitted height: B+G+2',
    ]);
    expect(rows).toEqual(['Reference: R1', 'Property type: Land']);
  });

  it('a holiday home: guests, nights and the price of one', () => {
    const fields = {
      property_type: 'Apartment',
      purpose: 'Rent',
      rental_period: 'Daily',
      price: '2400',
      size: '1890',
      bedroom: '3',
      description_en: 'Guests: 6\nMinimum stay: 3 nights\nCheck-in: from 15:00',
    };
    const { facts, rows } = said(fields);
    expect(facts).toEqual([
      'Guests: 6',
      'Bedrooms: 3',
      'Size: 1,890 sq ft · 176 m²',
      'Minimum stay: 3 nights',
    ]);
    expect(rows).toContain('Check-in: from 15:00');
    const one = listing(fields);
    expect(priceOf(one, labelsOf('en'), kindOf(one))).toMatchObject({ terms: '/ night', perSquareFoot: '' });
    expect(badgeOf(one, labelsOf('en'), kindOf(one))?.label).toBe('Holiday home');
  });
});

describe('facts said in the description', () => {
  it('move to the facts and details, each only once, and leave their story whole', () => {
    const { said: facts, rest } = takeSaidFacts('A plot.\n• Zoning: Residential\nZoning: mixed\n\nCall us.');
    expect([...facts]).toEqual([['zoning', 'Residential']]);
    expect(rest).toBe('A plot.\nZoning: mixed\n\nCall us.');
  });

  it.each([
    'The handover: a day we look forward to, when all the neighbours come.',
    'Viewing: Saturday',
    'Floor: marble. Walls: lime.',
    'https://example.com/floor',
    'Note: floor: 3',
  ])('are not looked for in "%s"', text => {
    expect(takeSaidFacts(text)).toEqual({ said: new Map(), rest: text });
  });

  it('take the heading along that headed nothing else', () => {
    const text = 'A flat.\n\nTerms:\n- Deposit: 5%\n- Available: now';
    expect(storyOf(listing({ description_en: text })).map(block => block.paragraph?.text)).toEqual([
      'A flat.',
    ]);
  });
});
