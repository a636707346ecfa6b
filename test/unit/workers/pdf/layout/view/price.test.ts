import { describe, expect, it } from 'vitest';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import { priceOf } from '../../../../../../workers/pdf/layout/view/price.ts';

const sale = {
  price: '',
  price_on_application: '',
  purpose: 'Sale',
  rental_period: '',
  cheques: '',
  size: '',
};
const rent = { ...sale, purpose: 'Rent', price: '185000' };

/** The printed price, its parts in order. */
function printed(listing: Partial<typeof sale>): string | null {
  const price = priceOf({ ...sale, ...listing });
  if (price === null) return null;
  return [price.currency, price.amount, price.terms].filter(part => part !== '').join(' ');
}

describe('the price', () => {
  it.each([
    ['2450000', 'AED 2,450,000'],
    ['2,450,000', 'AED 2,450,000'],
    ['2450000.00', 'AED 2,450,000'],
    ['2450000.5', 'AED 2,450,000.50'],
    ['AED 2,450,000', 'AED 2,450,000'],
    ['Ask', 'Ask'],
    ['from 1.2M', 'from 1.2M'],
    ['0', null],
    ['0.00', null],
    ['', null],
  ])('of "%s" is %s', (price, expected) => {
    expect(printed({ price })).toBe(expected);
  });

  it.each(['yes', 'Yes', 'TRUE', 'true', '1', 'y', 'Y'])('is on application when flagged "%s"', flag => {
    expect(printed({ price: '2450000', price_on_application: flag })).toBe('Price on application');
    expect(printed({ price: '', price_on_application: flag })).toBe('Price on application');
  });

  it.each(['no', 'No', '0', 'false', ''])('is printed when the flag is "%s"', flag => {
    expect(printed({ price: '2450000', price_on_application: flag })).toBe('AED 2,450,000');
  });

  it.each([
    ['Yearly', '4', 'AED 185,000 / year · 4 cheques'],
    ['yearly', '1', 'AED 185,000 / year · 1 cheque'],
    ['Monthly', '', 'AED 185,000 / month'],
    ['per week', '0', 'AED 185,000 / week'],
    ['Seasonal', '', 'AED 185,000 / Seasonal'],
    ['', '2', 'AED 185,000 2 cheques'],
    ['Yearly', 'up to 6', 'AED 185,000 / year · up to 6 cheques'],
    ['', '', 'AED 185,000'],
  ])('of a rent by "%s" in "%s" cheques is %s', (rental_period, cheques, expected) => {
    expect(printed({ ...rent, rental_period, cheques })).toBe(expected);
  });

  it('of a sale shows no period and no cheques', () => {
    expect(printed({ price: '2450000', rental_period: 'Yearly', cheques: '4' })).toBe('AED 2,450,000');
  });

  it.each([
    ['2450000', '1312.50', 'AED 1,867 per sq ft'],
    ['2450000', '1,312.50', 'AED 1,867 per sq ft'],
    ['2450000', '', ''],
    ['2450000', '0', ''],
    ['2450000', 'large', ''],
    ['Ask', '1312', ''],
  ])('of %s for %s square feet is "%s" by the foot', (price, size, expected) => {
    expect(priceOf({ ...sale, price, size })?.perSquareFoot.replaceAll('\u00A0', ' ')).toBe(expected);
  });
});

describe('the period of a rent', () => {
  const termsOf = (rental_period: string) => printed({ ...rent, rental_period })?.replace('AED 185,000 / ', '');

  it.each([
    ['year', 'year|yearly|Annual|annually|per year|per annum|pa|p.a|p.a.|year/ly'],
    ['month', 'month|Monthly|per month'],
    ['week', 'week|Weekly|per week'],
    ['night', 'night|Nightly|per night'],
    ['day', 'day|Daily|per day'],
  ])('is a %s for %s', (period, texts) => {
    for (const text of texts.split('|')) expect(termsOf(text), text).toBe(period);
  });

  it.each([
    'mid year',
    'yearly rent',
    'bi-monthly',
    'monthly rent',
    'mid week',
    'weekly rent',
    'one night',
    'nightly rent',
    'one day',
    'daily rent',
  ])('is the text "%s" itself', text => {
    expect(termsOf(text)).toBe(text);
  });
});

describe('a currency in the text', () => {
  it.each([
    ['AED2450000', 'AED 2,450,000'],
    ['2450000AED', 'AED 2,450,000'],
    ['2450000  aed', 'AED 2,450,000'],
    ['from AED 5', 'from AED 5'],
    ['AEDs', 'AEDs'],
    ['AED 3.2M', 'AED 3,200,000'],
    ['3,200,000 AED', 'AED 3,200,000'],
    ['3.2m', 'AED 3,200,000'],
    ['USD 900k', 'USD 900,000'],
    ['$1.5 million', 'USD 1,500,000'],
    ['Dhs. 95,000/-', 'AED 95,000'],
    ['3.2 مليون درهم', 'AED 3,200,000'],
    ['5 AED net', '5 AED net'],
  ])('of "%s" is printed as "%s"', (price, expected) => {
    expect(printed({ price })).toBe(expected);
  });
});

describe('in Arabic', () => {
  const arabic = (listing: Partial<typeof sale>) => priceOf({ ...rent, ...listing }, labelsOf('ar'));

  it('has the currency after the number', () => {
    expect(arabic({ purpose: 'Sale' })).toMatchObject({ currency: '', amount: '185,000', currencyAfter: 'درهم' });
    expect(priceOf({ ...rent, purpose: 'Sale' })).toMatchObject({ currency: 'AED', currencyAfter: '' });
  });

  it.each([
    ['1', 'شيك واحد'],
    ['2', 'شيكان'],
    ['4', '4 شيكات'],
    ['12', '12 شيكًا'],
    ['100', '100 شيك'],
    ['', ''],
    ['up to 4 payments', 'up to 4 payments'],
  ])('counts %s cheques', (cheques, expected) => {
    expect(arabic({ cheques })?.terms).toBe(expected);
  });

  it('has terms of a rent on pages in both languages, too', () => {
    const both = (listing: Partial<typeof sale>) => priceOf({ ...rent, ...listing }, labelsOf('both'));
    expect(both({ rental_period: 'Yearly', cheques: '2' })).toMatchObject({
      terms: '/ year · 2 cheques',
      termsArabic: '/ سنة · شيكان',
    });
    expect(both({ rental_period: 'per season', cheques: '' })).toMatchObject({
      terms: '/ per season',
      termsArabic: '',
    });
    expect(both({ price_on_application: 'Yes' })).toMatchObject({
      amount: 'Price on application',
      termsArabic: 'السعر عند الطلب',
    });
    expect(priceOf(rent)).toMatchObject({ termsArabic: '' });
  });

  it('has the price for a square foot', () => {
    expect(arabic({ size: '1000', rental_period: 'Yearly' })?.perSquareFoot).toBe('185\u00A0درهم لكل قدم² / سنة');
  });
});

describe('the price of a holiday home', () => {
  const terms = (rental_period: string, kind: 'home' | 'holiday') =>
    priceOf({ ...sale, price: '900', rental_period, size: '100' }, labelsOf('en'), kind);

  it('is per night by the day, whatever its purpose, and has no price for a square foot', () => {
    expect(terms('Daily', 'holiday')).toMatchObject({ terms: '/ night', perSquareFoot: '' });
    expect(terms('Weekly', 'holiday')).toMatchObject({ terms: '/ week' });
    expect(terms('Daily', 'home')).toMatchObject({ terms: '' });
    expect(printed({ ...rent, rental_period: 'Daily' })).toBe('AED 185,000 / day');
  });
});

describe('the price for a square foot', () => {
  const perFoot = (price: string, size: string, rental_period = '') =>
    priceOf({ ...rent, price, size, rental_period })?.perSquareFoot.replaceAll('\u00A0', ' ');

  it.each([
    ['200', '200', '', 'AED 1 per sq ft'],
    ['199', '200', '', ''],
    ['400', '-200', '', ''],
    ['4000', '200', 'Yearly', 'AED 20 per sq ft / year'],
    ['4000', '200', 'x'.repeat(12), `AED 20 per sq ft / ${'x'.repeat(12)}`],
    ['4000', '200', 'x'.repeat(13), ''],
  ])('of %s for %s by "%s" is "%s"', (price, size, period, expected) => {
    expect(perFoot(price, size, period)).toBe(expected);
  });

  it.each([
    ['4 cheques', '4 cheques'],
    ['4 CHECKS', '4 CHECKS'],
    ['4 payments', '4 payments'],
    ['up to 4', 'up to 4 cheques'],
    ['none', 'none cheques'],
  ])('cheques "%s" are printed as "%s"', (cheques, expected) => {
    expect(priceOf({ ...rent, cheques })?.terms).toBe(expected);
  });
});
