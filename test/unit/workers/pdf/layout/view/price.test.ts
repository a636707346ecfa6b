import { describe, expect, it } from 'vitest';
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
