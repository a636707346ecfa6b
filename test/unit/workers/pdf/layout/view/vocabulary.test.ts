import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import {
  completionOf,
  furnishingOf,
  isHome,
  isOffPlan,
  kindOf,
  localised,
  purposeOf,
  readable,
} from '../../../../../../workers/pdf/layout/view/vocabulary.ts';
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
    ['Complete', 'Ready'],
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

describe('isHome', () => {
  it.each([
    'Office',
    'Shop',
    'Retail',
    'Land',
    'Plot',
    'Warehouse',
    'Factory',
    'Labour Camp',
    'labor_camp',
    'Showroom',
    'Staff accommodation',
    'Commercial floor',
    'Industrial',
    'Farm',
    'Building',
    'Half Floor',
    'Co-working',
    'coworking',
    'Business Centre',
    'business-center',
  ])('is false for %s', type => {
    expect(isHome(type)).toBe(false);
  });

  it.each(['Villa', 'Apartment', 'Shophouse', 'Farmhouse', 'Bungalow', 'Penthouse', ''])('is true for "%s"', type => {
    expect(isHome(type)).toBe(true);
  });
});

describe('kindOf', () => {
  it.each([
    ...['day', 'daily', 'night', 'nightly', 'week', 'Weekly', 'per day', 'per night', 'per week'].map(period => [
      period,
      'holiday',
    ]),
    ...['month', 'yearly', 'by the day', 'weeks', 'per daytime'].map(period => [period, 'home']),
  ])('of an apartment for rent by "%s" is %s', (rental_period, kind) => {
    expect(kindOf(listing({ property_type: 'Apartment', purpose: 'Rent', rental_period }))).toBe(kind);
    expect(kindOf(listing({ property_type: 'Apartment', purpose: 'Sale', rental_period }))).toBe('home');
  });

  it.each([
    [{ property_type: 'Vacation villa' }, 'holiday'],
    [{ purpose: 'Short-term rent' }, 'holiday'],
    [{ purpose: 'short_stay' }, 'holiday'],
    [{ purpose: 'Short let' }, 'holiday'],
    [{ purpose: 'Shortlist' }, 'home'],
    [{ property_type: 'Farm' }, 'land'],
    [{ property_type: 'Landmark villa' }, 'home'],
    [{ property_type: 'Villa', completion_status: 'Under construction' }, 'off-plan'],
    [{ property_type: 'Office', completion_status: 'Off plan' }, 'commercial'],
  ])('of %j is %s', (fields, kind) => {
    expect(kindOf(listing(fields))).toBe(kind);
  });
});

describe('purposeOf', () => {
  it.each([
    ['rent', 'Rent|For rent|rental|rents|Lease|to let|letting|for_rent'],
    ['sale', 'Sale|for_sale|Sell|Buy|Resale|FOR-SALE'],
    [null, '|Auction|Parent|Wholesale|Outlet|Seller'],
  ])('is %s for %s', (purpose, texts) => {
    for (const text of texts.split('|')) expect(purposeOf(text), text).toBe(purpose);
  });
});

describe('isOffPlan', () => {
  it.each(['off_plan', 'Off-Plan', 'OFF PLAN', 'off - plan', 'offplan', 'off_plan_primary', 'under construction'])(
    'is true for "%s"',
    text => {
      expect(isOffPlan(text)).toBe(true);
    },
  );
  it.each(['', 'Ready', 'kickoff planned', 'off planet'])('is false for "%s"', text => {
    expect(isOffPlan(text)).toBe(false);
  });
});

describe('furnishingOf', () => {
  it.each([
    ['Furnished', 'yes|Y|true|1|Furnished|fully furnished|Fully-Furnished'],
    ['Unfurnished', 'no|N|false|0|Unfurnished|not furnished'],
    ['Partly furnished', 'partly|partially|semi|Partly furnished|partially_furnished|Semi-Furnished'],
    ['Newly furnished', 'Newly furnished'],
    ['Furnished by owner', 'Furnished by owner'],
    ['Not furnished yet', 'Not furnished yet'],
    ['Semi furnished room', 'Semi furnished room'],
    ['Rather no', 'Rather no'],
    ['Not quite semi', 'Not quite semi'],
    ['', ''],
  ])('is "%s" for %s', (expected, texts) => {
    for (const text of texts.split('|')) {
      expect(furnishingOf({ furnishing_type: text, furnished: '' }, labelsOf('en')), text).toBe(expected);
      expect(furnishingOf({ furnishing_type: '', furnished: text }, labelsOf('en')), text).toBe(expected);
    }
  });

  it('prefers the type, and is translated', () => {
    expect(furnishingOf({ furnishing_type: 'No', furnished: 'Yes' }, labelsOf('ar'))).toBe('غير مفروش');
    expect(furnishingOf({ furnishing_type: '', furnished: 'Yes' }, labelsOf('ar'))).toBe('مفروش');
    expect(furnishingOf({ furnishing_type: 'semi', furnished: '' }, labelsOf('ar'))).toBe('مفروش جزئيًا');
  });
});

describe('localised', () => {
  it.each([
    ['شقة', 'Apartment|flat|APARTMENT'],
    ['فيلا', 'villa'],
    ['تاون هاوس', 'townhouse|town house|town_house'],
    ['بنتهاوس', 'Penthouse'],
    ['دوبلكس', 'Duplex'],
    ['مكتب', 'Office|office_space'],
    ['محل تجاري', 'Shop|retail'],
    ['مستودع', 'Warehouse'],
    ['أرض', 'Land|Plot'],
    ['مبنى', 'Building'],
    ['بيت عطلات', 'Holiday home'],
    ['شاغر', 'Vacant'],
    ['مؤجَّر', 'Rented|tenanted'],
    ['يسكنه المالك', 'Owner-occupied'],
    ['ممتازة', 'Excellent'],
    ['جيدة', 'Good'],
    ['وحدات بالجملة', 'bulk_rent_unit'],
    ['شقة', 'AP|شقة'],
  ])('is "%s" in Arabic for %s', (expected, texts) => {
    for (const text of texts.split('|')) expect(localised(text, labelsOf('ar')), text).toBe(expected);
  });

  it('is the text itself in English, and the names of both languages on pages in both', () => {
    expect(localised('flat', labelsOf('en'))).toBe('Flat');
    expect(localised('flat', labelsOf('both'))).toBe('Apartment · شقة');
    expect(localised('Loft over two floors', labelsOf('both'))).toBe('Loft over two floors');
  });

  it('translates completion', () => {
    expect(completionOf('completed', labelsOf('ar'))).toBe('جاهز');
    expect(completionOf('off_plan', labelsOf('ar'))).toBe('على الخارطة');
    expect(completionOf('completed', labelsOf('both'))).toBe('Ready · جاهز');
    expect(completionOf('Not ready')).toBe('Not ready');
    expect(completionOf('readymade')).toBe('Readymade');
  });
});

describe('readable', () => {
  it.each([
    ['bulk_rent_unit', 'Bulk rent unit'],
    ['APARTMENT', 'Apartment'],
    ['LAND PLOT', 'Land plot'],
    ['VILLA', 'Villa'],
    ['BBQ', 'BBQ'],
    ['iPad Villa', 'iPad Villa'],
    ['B+G+2', 'B+G+2'],
    ['x APARTMENT', 'x APARTMENT'],
    ['APARTMENT x', 'APARTMENT x'],
    ['a villa', 'a villa'],
    ['two-bed', 'Two-bed'],
    ['', ''],
  ])('changes "%s" to "%s"', (text, expected) => {
    expect(readable(text)).toBe(expected);
  });
});
