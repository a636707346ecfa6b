/** The findings of a listing check. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { lintListings, printFindings } from '../../../../../workers/pdf/lint/lint-listings.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

type Sent = z.input<typeof Listing>;

/** A listing without findings. */
const good: Sent = {
  reference_number: 'R-1',
  title_en: 'Two bedrooms over the marina',
  description_en: 'A corner apartment on a high floor.',
  permit_number: '7116777484',
  purpose: 'Sale',
  property_type: 'Apartment',
  price: '2,450,000',
  city: 'Dubai',
  size: '1312',
  bedroom: '2',
  geopoints: '25.0805, 55.1403',
  photo: ['https://photos.example/1.jpg'],
  agent: { name: 'Layla', brn_number: '54821', phone: '050 123 4501', email: 'layla@agency.example' },
};

const findingsOf = (...changed: Partial<Sent>[]) =>
  lintListings(changed.map((change, index) => Listing.parse({ ...good, reference_number: `R-${index}`, ...change })));

const summary = (change: Partial<Sent>) =>
  findingsOf(change).map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);

const agent = (change: object) => ({ agent: { ...good.agent, ...change } });

it('returns no findings for a complete listing', () => {
  expect(findingsOf({})).toEqual([]);
});

describe('the permit', () => {
  const permit = '/list/0/permit_number';
  it.each<[string, Partial<Sent>, string[]]>([
    ['is missing in Dubai', { permit_number: '' }, [`error permit-missing ${permit}`]],
    ['is missing in Abu Dhabi', { city: 'Abu Dhabi', permit_number: '' }, [`error permit-missing ${permit}`]],
    ['is missing in Al Ain', { city: 'Al Ain', permit_number: '' }, [`error permit-missing ${permit}`]],
    ['is not needed in Sharjah', { city: 'Sharjah', permit_number: '' }, []],
    ['is not needed in Ras Al Khaimah', { city: 'Ras Al-Khaimah', permit_number: '' }, []],
    ['is doubtful in an unknown city', { city: 'Muscat', permit_number: '' }, [`warning permit-missing ${permit}`]],
    ['may have a sub-permit', { permit_number: '7116777484-1' }, []],
    ['has 11 digits', { permit_number: '71404938268' }, []],
    ['has 9 digits in Dubai', { permit_number: '711677748' }, [`warning permit-form ${permit}`]],
    ['has 12 digits in Dubai', { permit_number: '202512345678' }, [`warning permit-form ${permit}`]],
    ['of a holiday home has letters', { permit_number: 'BEA-PAL-K7Q2', property_type: 'Holiday home' }, []],
    ['has a link without https', { permit_url: 'dubailand.gov.ae/1' }, ['warning permit-url-form /list/0/permit_url']],
    ['is not needed by a draft', { permit_number: '', draft: true }, []],
    ['of a draft may be anything', { permit_number: 'TBA', permit_expires_at: '2020-01-01', draft: 'Yes' }, []],
    ['may have a licence', { permit_number: '7116777484-1#202400236475' }, []],
    ['has letters', { permit_number: 'RERA-2025-123456' }, [`warning permit-form ${permit}`]],
    ['is a number of equal digits', { permit_number: '0000000000' }, [`error permit-placeholder ${permit}`]],
    ['is to be announced', { permit_number: 'TBA' }, [`error permit-placeholder ${permit}`]],
    ['of Abu Dhabi has a licence', { city: 'أبو ظبي', permit_number: '20250000534239#202400236475' }, []],
    [
      'of Abu Dhabi has no licence',
      { city: 'Abu Dhabi', permit_number: '20250000534239' },
      [`warning permit-licence-missing ${permit}`],
    ],
  ])('%s', (_, change, expected) => {
    expect(summary(change)).toEqual(expected);
  });
});

describe('the expiry of the permit', () => {
  const pointer = '/list/0/permit_expires_at';
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-26T08:00:00Z') }));
  afterAll(() => void vi.useRealTimers());

  it.each<[string, string[]]>([
    ['', []],
    ['2027-01-31', []],
    ['2026-12-11', []],
    ['2026-12-09', [`warning permit-expiring ${pointer}`]],
    ['2026-11-26', [`warning permit-expiring ${pointer}`]],
    ['26/11/2026', [`warning permit-expiring ${pointer}`]],
    ['2026-11-25', [`warning permit-expired ${pointer}`]],
    ['2026-11-25T20:00:00Z', [`warning permit-expired ${pointer}`]],
    ['1.2.2026', [`warning permit-expired ${pointer}`]],
    ['next year', [`warning permit-expiry-form ${pointer}`]],
    ['31', [`warning permit-expiry-form ${pointer}`]],
    ['2026-13-45', [`warning permit-expiry-form ${pointer}`]],
  ])('“%s”', (permit_expires_at, expected) => {
    expect(summary({ permit_expires_at })).toEqual(expected);
  });

  it('names the day in Dubai and the days that are left', () => {
    const [finding] = findingsOf({ permit_expires_at: '2026-11-30T21:00:00Z' });
    expect(finding?.detail).toBe('The permit expires on 2026-12-01, in 5 days; renew it.');
  });
});

describe('an off-plan property', () => {
  const offPlan = { completion_status: 'off_plan_primary' };
  const number = 'warning project-number-missing /list/0/project_number';
  const account = 'warning escrow-account-missing /list/0/escrow_account';
  it.each<[string, Partial<Sent>, string[]]>([
    ['names neither', offPlan, [number, account]],
    ['names the project', { ...offPlan, project_number: '2871' }, [account]],
    ['names both', { ...offPlan, project_number: '2871', escrow_account: 'AE07 0331' }, []],
    ['names both in its description', { ...offPlan, description_en: 'Project number: 2871\nEscrow account: 77' }, []],
    ['is let', { ...offPlan, purpose: 'Rent', price: '95000', rental_period: 'Yearly' }, []],
    ['is a draft', { ...offPlan, draft: true }, [number, account]],
  ])('%s', (_, change, expected) => {
    expect(summary(change)).toEqual(expected);
  });
});

describe('a description', () => {
  const finding = (code: string) => [`warning ${code} /list/0/description_en`];
  it.each<[string, string[]]>([
    ['Permit No: 71400012345', finding('description-permit')],
    ['Trakheesi 7100000001.', finding('description-permit')],
    ['See 71400012345 online', finding('description-permit')],
    ['Permit No: 7116777484', []],
    ['RERA ORN: 12345', finding('description-licence')],
    ['RERA No. 12345', finding('description-licence')],
    ['Call +971 50 765 4321', finding('description-phone')],
    ['Call 055-765-4321 now', finding('description-phone')],
    ['Call 00971 4 399 9999', finding('description-phone')],
    ['Call 050 123 4501 or +971 50 123 4501', []],
    ['Size 1,874 sq ft, 10,764 sq ft plot, AED 3,200,000, from 2019', []],
    ['0.5 km to the beach and 04 minutes to the mall', []],
    [
      '<p>Call <b>Ahmed</b> on +971 50 765 4321</p>',
      [...finding('description-phone'), 'hint description-markup /list/0/description_en'],
    ],
  ])('“%s”', (description_en, expected) => {
    expect(summary({ description_en })).toEqual(expected);
  });
});

describe('the price', () => {
  it.each<[string, Partial<Sent>, string[]]>([
    ['is 0', { price: '0' }, ['error price-zero /list/0/price']],
    ['is 0.00', { price: '0.00' }, ['error price-zero /list/0/price']],
    ['is missing', { price: '' }, ['warning price-missing /list/0/price']],
    ['is on application', { price: '', price_on_application: 'Yes' }, []],
    ['is text', { price: 'Call us' }, ['warning price-text /list/0/price']],
    ['has a currency', { price: 'AED 2,450,000' }, []],
    ['is low for a sale', { price: '2450' }, ['warning price-doubtful /list/0/price']],
    [
      'is a rent without a period',
      { purpose: 'Rent', price: '95000' },
      ['warning rental-period-missing /list/0/rental_period'],
    ],
    ['is a yearly rent', { purpose: 'Rent', price: '95000', rental_period: 'Yearly' }, []],
    [
      'is a monthly rent with a yearly period',
      { purpose: 'Rent', price: '4500', rental_period: 'Yearly' },
      ['warning price-doubtful /list/0/price'],
    ],
  ])('%s', (_, change, expected) => {
    expect(summary(change)).toEqual(expected);
  });
});

describe('the size', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['1,312', []],
    ['1312 sq ft', []],
    ['122 sqm', []],
    ['122 m²', []],
    ['12 m²', ['warning size-doubtful /list/0/size']],
    ['122', ['warning size-doubtful /list/0/size']],
    ['0', ['error size-zero /list/0/size']],
    ['large', ['warning size-form /list/0/size']],
  ])('“%s”', (size, expected) => {
    expect(summary({ size })).toEqual(expected);
  });

  it('of a plot is checked too', () => {
    expect(summary({ plot_size: '5,200 sqft' })).toEqual([]);
    expect(summary({ plot_size: 'huge' })).toEqual(['warning size-form /list/0/plot_size']);
  });
});

describe('a code', () => {
  it.each<[string, Partial<Sent>, string[]]>([
    ['of the portals is known', { property_type: 'AP', purpose: 'RS', amenities: 'BW,central-ac,CP' }, []],
    ['of no table is a warning', { property_type: 'ZZ' }, ['warning unknown-code /list/0/property_type']],
    ['of an amenity is a warning', { amenities: 'BW, x-files' }, ['warning unknown-code /list/0/amenities']],
    ['of a rent is a rent', { purpose: 'RR', price: '95000', rental_period: 'y' }, []],
  ])('%s', (_, change, expected) => {
    expect(summary(change)).toEqual(expected);
  });

  it('of no table is also a warning of the printing job', () => {
    const listing = Listing.parse({ ...good, amenities: 'QQ', price: 'Ask', title_en: 'ALL CAPITALS HERE' });
    expect(printFindings([listing]).map(({ code }) => code)).toEqual(['unknown-code', 'price-text']);
  });

  it('is reported by the printing job after the findings of the permit', () => {
    const listing = Listing.parse({ ...good, amenities: 'QQ', permit_number: '', description_en: 'ORN 12345' });
    const found = printFindings([listing, Listing.parse({ ...good, city: '', permit_number: '' })]);
    expect(found.map(({ code }) => code)).toEqual(['permit-missing', 'description-licence', 'unknown-code']);
  });
});

describe('a character that no font has', () => {
  it('is a warning of the field, with its code point', () => {
    const listing = Listing.parse({
      ...agent({ name: 'ลลิตา' }),
      reference_number: 'R-1',
      title_en: 'Villa | 한국',
      description_en: '棕榈岛 Вилла हिन्दी',
      payment_plan: [{ milestone: 'ก', share: '20%' }],
    });
    const found = printFindings([listing]).filter(({ code }) => code === 'character-missing');
    expect(found.map(({ pointer }) => pointer)).toEqual([
      '/list/0/title_en',
      '/list/0/agent/name',
      '/list/0/payment_plan/0/milestone',
    ]);
    expect(found[0]?.detail).toBe('No font has 한 (U+D55C), 국 (U+AD6D): left out of the page.');
  });

  it('names the first eight of a text', () => {
    expect(findingsOf({ community: 'กขคงจฉชซฌญ' })[0]?.detail).toMatch(
      /ซ \(U\+0E0B\) and 2 other characters: left out/,
    );
  });
});

describe('the agent', () => {
  it.each<[string, Partial<Sent>, string[]]>([
    ['is missing', { agent: null }, ['hint agent-missing /list/0/agent']],
    ['has no licence in Dubai', agent({ brn_number: '' }), ['warning brn-missing /list/0/agent/brn_number']],
    ['has no licence in Sharjah', { ...agent({ brn_number: '' }), city: 'Sharjah' }, []],
    [
      'has an invalid broker licence in Abu Dhabi',
      { ...agent({ brn_number: 'x' }), city: 'Abu Dhabi', permit_number: '20250000534239#202400236475' },
      ['warning brn-form /list/0/agent/brn_number'],
    ],
    ['has a licence with the prefix BLN', { ...agent({ brn_number: 'BLN 54821' }), city: 'Sharjah' }, []],
    ['has a licence with the prefix BRN', agent({ brn_number: 'BRN: 54821' }), []],
    ['has an invalid licence', agent({ brn_number: 'ORN-X' }), ['warning brn-form /list/0/agent/brn_number']],
    ['has an invalid phone number', agent({ phone: '12345' }), ['warning phone-form /list/0/agent/phone']],
    ['has a foreign phone number', agent({ phone: '+44 20 7946 0958' }), []],
    ['has neither phone nor e-mail', agent({ phone: '', email: '' }), ['warning contact-missing /list/0/agent/phone']],
    ['has an invalid e-mail address', agent({ email: 'layla@' }), ['warning email-form /list/0/agent/email']],
  ])('%s', (_, change, expected) => {
    expect(summary(change)).toEqual(expected);
  });
});

describe('other fields', () => {
  it.each<[string, Partial<Sent>, string[]]>([
    ['no photo', { photo: [] }, ['warning photo-missing /list/0/photo']],
    [
      'a photo URL that is not http or https',
      { photo: ['ftp://a.example/1.jpg'] },
      ['warning photo-address /list/0/photo/0'],
    ],
    [
      'a photo twice',
      { photo: ['https://a.example/1.jpg', 'https://a.example/1.jpg'] },
      ['hint photo-repeated /list/0/photo/1'],
    ],
    ['swapped coordinates', { geopoints: '55.1403, 25.0805' }, ['warning geopoints-doubtful /list/0/geopoints']],
    ['invalid coordinates', { geopoints: 'Marina' }, ['warning geopoints-form /list/0/geopoints']],
    ['no city', { city: '', permit_number: '7116777484' }, ['warning city-missing /list/0/city']],
    ['no purpose', { purpose: '' }, ['warning purpose-missing /list/0/purpose']],
    ['a title in capitals', { title_en: 'STUNNING SEA VIEW' }, ['hint title-capitals /list/0/title_en']],
    ['HTML', { description_en: 'One<br>two' }, ['hint description-markup /list/0/description_en']],
  ])('report %s', (_, change, expected) => {
    expect(summary(change)).toEqual(expected);
  });

  it('report a repeated reference at the second listing', () => {
    const [finding] = findingsOf({ reference_number: 'R-7' }, { reference_number: 'R-7' });
    expect(finding).toMatchObject({ code: 'reference-repeated', pointer: '/list/1/reference_number' });
  });

  it('have a sentence as detail', () => {
    const wrong = findingsOf(
      { permit_number: '', price: '0', size: '1 sqm', photo: [], purpose: '', city: '', geopoints: 'x' },
      {
        ...agent({ phone: '1', email: 'x', brn_number: 'x', name: '' }),
        title_en: 'X'.repeat(100),
        description_en: '',
      },
    );
    expect(wrong.length).toBeGreaterThan(12);
    for (const { detail } of wrong) expect(detail).toMatch(/^\S.*[.]$/);
  });
});
