import { describe, expect, it } from 'vitest';
import { completionOf, kindOf } from '../../../../../../workers/pdf/layout/view/vocabulary.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

const listing = (fields: object) => Listing.parse({ reference_number: 'R1', title_en: 'Home', ...fields });

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

describe('completionOf', () => {
  it.each([
    ['completed', 'Ready'],
    ['completed_primary', 'Ready'],
    ['Ready', 'Ready'],
    ['off_plan_primary', 'Off-plan'],
    ['HANDED_OVER_SOON', 'Handed over soon'],
    ['Q4 2027', 'Q4 2027'],
    ['', ''],
  ])('returns for "%s" the label "%s"', (text, expected) => {
    expect(completionOf(text)).toBe(expected);
  });
});
