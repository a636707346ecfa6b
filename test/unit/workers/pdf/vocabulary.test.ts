/** The vocabulary against the lists of a portal's API and of the portals' XML feeds. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { labelsOf } from '../../../../workers/pdf/layout/labels.ts';
import { amenitiesOf, amenityName } from '../../../../workers/pdf/layout/view/amenities.ts';
import {
  completionOf,
  furnishingOf,
  kindOf,
  localised,
  periodOf,
  purposeOf,
} from '../../../../workers/pdf/layout/view/vocabulary.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { priceIn, squareFeetIn } from '../../../../workers/pdf/vocabulary/amounts.ts';

const Names = z.object({ slugs: z.array(z.string()), feedCodes: z.record(z.string(), z.string()) });
const Vocabulary = z.object({
  propertyType: Names,
  amenities: Names,
  offeringType: z.record(z.string(), z.string()),
  completion: z.array(z.string()),
  furnishing: z.array(z.string()),
  finishing: z.array(z.string()),
  rentalPeriod: z.array(z.string()),
});
const portal = Vocabulary.parse(
  JSON.parse(readFileSync(new URL('../../../support/data/portal-vocabulary.json', import.meta.url), 'utf8')),
);

const [inEnglish, inArabic] = [labelsOf('en'), labelsOf('ar')];
const readableEnglish = /^\p{Lu}[\p{L} /'’&-]*$|^iVilla$/u;
const arabicWords = /^[\p{Script=Arabic}\p{M} ]+$/u;

const namesOf = ({ slugs, feedCodes }: z.infer<typeof Names>) => [...slugs, ...Object.keys(feedCodes)];

describe('the vocabulary', () => {
  it('has every property type in both languages', () => {
    for (const name of namesOf(portal.propertyType)) {
      expect(localised(name, inEnglish), name).toMatch(/.{3}/);
      expect(localised(name, inEnglish), name).toMatch(readableEnglish);
      expect(localised(name, inArabic), name).toMatch(arabicWords);
    }
  });

  it('has every amenity in both languages', () => {
    for (const name of namesOf(portal.amenities)) {
      const [amenity, ...others] = amenitiesOf(name);
      expect(others, name).toEqual([]);
      expect(amenity?.unknownCode, name).toBeUndefined();
      expect(amenity && amenityName(amenity, inEnglish), name).toMatch(/^\p{Lu}[\p{L} /'-]{2,}$/u);
      expect(amenity && amenityName(amenity, inArabic), name).toMatch(arabicWords);
    }
  });

  it('has every offering type', () => {
    for (const [code, meaning] of Object.entries(portal.offeringType))
      expect(purposeOf(code), code).toBe(meaning.endsWith('rent') ? 'rent' : 'sale');
  });

  it('has completion, furnishing, finishing and rental periods', () => {
    for (const value of portal.completion) expect(completionOf(value, inArabic)).toMatch(/جاهز|على الخارطة/);
    for (const value of portal.furnishing)
      expect(furnishingOf({ furnishing_type: value, furnished: '' }, inArabic)).toMatch(arabicWords);
    for (const value of portal.finishing) expect(localised(value, inArabic)).toMatch(arabicWords);
    for (const value of portal.rentalPeriod) expect(periodOf(value), value).toMatch(/^(?:year|month|week|day)$/);
  });

  it.each([
    ['LP', 'land'],
    ['WH', 'commercial'],
    ['LC', 'commercial'],
    ['VH', 'home'],
  ])('knows that a listing of the type %s is of the kind %s', (property_type, kind) => {
    expect(kindOf(Listing.parse({ reference_number: 'R', title_en: 'T', property_type }))).toBe(kind);
  });

  it('joins a code, a slug and words for one amenity', () => {
    expect(amenitiesOf('BW,built-in-wardrobes,Built in Wardrobes,SY,shared-gym').map(({ text }) => text)).toEqual([
      'Built-in Wardrobes',
      'Shared Gym',
    ]);
  });
});

describe('amounts', () => {
  it.each([
    ['1,874 sqft', 1874],
    ['174 m²', 1872.92],
    ['174 m2', 1872.92],
    ['1870 sq ft', 1870],
    ['2,200.00', 2200],
    ['800-900', null],
    ['large', null],
  ])('reads the size "%s" as %s square feet', (text, expected) => {
    const size = squareFeetIn(text);
    expect(size === null ? null : Math.round(size * 100) / 100).toBe(expected);
  });

  it.each(['from 1.2M', '5 AED net', '1.250.000', 'AED', '1 or 2', '3 m²'])('reads no price from "%s"', text => {
    expect(priceIn(text)).toBeNull();
  });
});
