/** The printed permit: a code appears only for the regulator's record. */
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import { permitOf } from '../../../../../../workers/pdf/layout/view/permit.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';
import { isOfficial } from '../../../../../../workers/pdf/vocabulary/permits.ts';

const record = 'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE1';
const permitHosts = ['dubailand.gov.ae', 'dari.ae'];
const plain = { permitHosts, licenceNumber: undefined, permitUrl: undefined };
const withTemplate = (permitUrl: string) => ({ ...plain, permitUrl });

const listingOf = (fields: Partial<z.input<typeof Listing>>) =>
  Listing.parse({ reference_number: 'R-1', title_en: 'Home', permit_number: '7116777484', city: 'Dubai', ...fields });

describe('in Dubai', () => {
  it('a link of the listing is printed as a code with what it opens', () => {
    expect(permitOf(listingOf({ permit_url: record }), plain)).toEqual({
      label: 'Permit',
      number: '7116777484',
      note: 'Scan to open the official record',
      url: record,
      qr: { viewBox: expect.any(String), path: expect.any(String) },
    });
  });

  it.each(['https://permits.agency.example/{permit}', 'https://trakheesi.dubailand.gov.ae/{permit}'])(
    'no link is made from the number with %s',
    template => {
      expect(permitOf(listingOf({}), withTemplate(template))).toEqual({
        label: 'Permit',
        number: '7116777484',
        note: '',
        url: null,
        qr: null,
      });
    },
  );

  it.each([
    'javascript:alert(1)',
    'http://trakheesi.dubailand.gov.ae/1',
    'dubailand.gov.ae/1',
    `${record}${'1'.repeat(300)}`,
  ])('the link %s is not printed', permit_url => {
    expect(permitOf(listingOf({ permit_url }), plain)).toMatchObject({ url: null, qr: null, note: '' });
  });

  it.each(['', '0', 'N/A'])('the number “%s” is not shown, also with a link', permit_number => {
    expect(permitOf(listingOf({ permit_number, permit_url: record }), plain)).toBeNull();
  });

  it('the permit of a holiday home has its own name', () => {
    const holiday = listingOf({ permit_number: 'BEA-PAL-K7Q2', property_type: 'Holiday home' });
    expect(permitOf(holiday, plain)?.label).toBe('DTCM permit');
  });
});

describe('outside Dubai', () => {
  const abuDhabi = { city: 'Abu Dhabi', permit_number: '20250000534239-1#202400236475' };
  const template = withTemplate('https://www.dari.ae/permits/{permit}');

  it('a link is made from the brand’s template, with the number encoded', () => {
    expect(permitOf(listingOf(abuDhabi), template)?.url).toBe(
      'https://www.dari.ae/permits/20250000534239-1%23202400236475',
    );
    expect(permitOf(listingOf({ city: 'Sharjah' }), template)?.url).toBe('https://www.dari.ae/permits/7116777484');
  });

  it('the link of the listing has precedence', () => {
    expect(permitOf(listingOf({ ...abuDhabi, permit_url: record }), template)?.url).toBe(record);
  });

  it.each([
    'https://permits.agency.example/{permit}',
    'https://dari.ae.agency.example/{permit}',
    'https://notdari.ae/{permit}',
  ])('a template on another host than a regulator’s makes no link: %s', url => {
    expect(permitOf(listingOf(abuDhabi), withTemplate(url))).toMatchObject({ url: null, qr: null });
  });

  it('an unknown city may be in Dubai and has no link', () => {
    expect(permitOf(listingOf({ city: '' }), template)).toMatchObject({ url: null, qr: null });
  });

  it.each([
    ['123', 'https://www.dari.ae/permits/123'],
    ['1/2-3#4', 'https://www.dari.ae/permits/1%2F2-3%234'],
    ['12', null],
    ['-123', null],
    ['Pending', null],
    ['<b>1</b>', null],
    ['123a', null],
    [`1${'2'.repeat(59)}`, `https://www.dari.ae/permits/1${'2'.repeat(59)}`],
    [`1${'2'.repeat(60)}`, null],
  ])('the number %s has the record %s', (permit_number, url) => {
    expect(permitOf(listingOf({ ...abuDhabi, permit_number }), template)?.url).toBe(url);
  });
});

describe('a draft', () => {
  it.each([true, 'true', 'Yes'])('(%s) says so in the place of the number and has no code', draft => {
    const listing = listingOf({ draft, permit_number: '', permit_url: record });
    expect(permitOf(listing, plain)).toEqual({
      label: 'Permit',
      number: 'Draft',
      note: 'for a permit application, not for publication',
      url: null,
      qr: null,
    });
    expect(permitOf(listing, plain, labelsOf('ar'))?.number).toBe('مسودة');
  });

  it('keeps a number that it has', () => {
    expect(permitOf(listingOf({ draft: true }), plain)?.number).toBe('7116777484');
  });

  it.each([false, '', 'no', null])('is not a listing with %s', draft => {
    expect(permitOf(listingOf({ draft }), plain)?.note).toBe('');
  });
});

describe('a host', () => {
  it.each([
    ['https://dubailand.gov.ae/x', true],
    ['https://trakheesi.dubailand.gov.ae/x', true],
    ['https://dubailand.gov.ae.example/x', false],
    ['https://mydubailand.gov.ae/x', false],
    ['https://agency.example/dubailand.gov.ae', false],
    ['https://dubailand.gov.ae@agency.example/', false],
  ])('%s is a regulator’s: %s', (url, expected) => {
    expect(isOfficial(url, plain)).toBe(expected);
  });
});
