import { describe, expect, it } from 'vitest';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { commonAgent, listingLine, listingText } from '../../../../workers/pdf-mail/listing-text.ts';

const listingWith = (fields: object = {}) =>
  Listing.parse({
    reference_number: 'MP-1',
    title_en: 'Villa by the sea',
    title_ar: 'فيلا على البحر',
    permit_number: '7116777484',
    purpose: 'Rent',
    property_type: 'Villa',
    price: '185000',
    rental_period: 'Yearly',
    cheques: '4',
    bedroom: '5',
    size: '3200',
    furnished: 'Yes',
    community: 'Palm Jumeirah',
    city: 'Dubai',
    agent: { name: 'Layla Haddad', phone: '+971501234501', email: 'layla@agency.example', brn_number: '54821' },
    ...fields,
  });

describe('the text of a listing in a mail', () => {
  it('has price, terms, place, facts and permit', () => {
    expect(listingText(listingWith(), 'en')).toMatchObject({
      titleArabic: '',
      place: 'Palm Jumeirah, Dubai',
      price: 'AED\u00A0185,000',
      terms: '/ year · 4 cheques',
      facts: ['5 Bedrooms', '3,200\u2009sq\u2009ft · 297\u2009m²', 'Furnished'],
      permit: { label: 'Permit', number: '7116777484' },
    });
  });

  it('has both languages, or Arabic only', () => {
    expect(listingText(listingWith(), 'both')).toMatchObject({
      titleArabic: 'فيلا على البحر',
      termsArabic: '/ سنة · 4 شيكات',
      facts: expect.arrayContaining(['5 Bedrooms · غرف نوم']),
    });
    expect(listingText(listingWith(), 'ar')).toMatchObject({ price: '185,000\u00A0درهم', terms: '/ سنة · 4 شيكات' });
  });

  it('has no permit for a draft, and no price without one', () => {
    expect(listingText(listingWith({ draft: true, price: '' }), 'en')).toMatchObject({ permit: null, price: '' });
  });

  it('is one line below the title of one of several', () => {
    expect(listingLine(listingWith(), 'both')).toMatch(/^AED\u00A0185,000 \/ year · 4 cheques · 5 Bedrooms · 3,200/);
  });
});

describe('the agent of a mail', () => {
  it('has links to call and to write to', () => {
    expect(commonAgent([listingWith(), listingWith()], 'en')).toMatchObject({
      licence: 'BRN 54821',
      call: { href: 'tel:+971501234501' },
      whatsapp: { href: 'https://wa.me/971501234501' },
    });
  });

  it('does not exist when the listings have different ones or none', () => {
    expect(commonAgent([listingWith(), listingWith({ agent: { name: 'Omar' } })], 'en')).toBeNull();
    expect(commonAgent([listingWith({ agent: null })], 'en')).toBeNull();
  });
});
