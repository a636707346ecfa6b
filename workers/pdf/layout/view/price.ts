/** The price as it is printed, with the terms of a rent and the price per square foot. */
import type { Listing } from '../../listing.ts';
import type { PriceView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { isFlagged, money, numberOf, wholeNumber } from './number-text.ts';
import { purposeOf } from './vocabulary.ts';

type PricedListing = Pick<
  Listing,
  'price' | 'price_on_application' | 'purpose' | 'rental_period' | 'cheques' | 'size'
>;

const periods: readonly [RegExp, string][] = [
  [/^(?:year|yearly|annual|annually|per year|per annum|p\.?a\.?|year\/?ly)$/i, 'year'],
  [/^(?:month|monthly|per month)$/i, 'month'],
  [/^(?:week|weekly|per week)$/i, 'week'],
  [/^(?:day|daily|per day|night|nightly)$/i, 'day'],
];

/** null: no price is known and none is promised. */
export function priceOf(listing: PricedListing): PriceView | null {
  if (isFlagged(listing.price_on_application)) {
    return { currency: '', amount: 'Price on application', terms: '', perSquareFoot: '' };
  }
  const text = cleanText(listing.price).replace(/^AED\s*|\s*AED$/i, '');
  const price = numberOf(text);
  if (text === '' || price === 0) return null;
  const terms = termsOf(listing);
  if (price === null) return { currency: '', amount: text, terms, perSquareFoot: '' };
  return { currency: 'AED', amount: money(price), terms, perSquareFoot: perSquareFoot(price, listing) };
}

function termsOf(listing: PricedListing): string {
  if (purposeOf(listing.purpose) !== 'rent') return '';
  const period = periodOf(listing.rental_period);
  const parts = [period === '' ? '' : `/ ${period}`, chequesOf(listing.cheques)];
  return parts.filter(part => part !== '').join(' · ');
}

function periodOf(text: string): string {
  const said = cleanText(text);
  return periods.find(([pattern]) => pattern.test(said))?.[1] ?? said;
}

function chequesOf(text: string): string {
  const said = cleanText(text);
  const cheques = numberOf(said);
  if (said === '' || cheques === 0) return '';
  if (cheques !== null) return cheques === 1 ? '1 cheque' : `${wholeNumber(cheques)} cheques`;
  return /che(?:que|ck)|payment/i.test(said) ? said : `${said} cheques`;
}

function perSquareFoot(price: number, listing: PricedListing): string {
  const size = numberOf(listing.size) ?? 0;
  if (size <= 0 || price / size < 1) return '';
  const period = purposeOf(listing.purpose) === 'rent' ? periodOf(listing.rental_period) : '';
  return `AED\u00A0${wholeNumber(price / size)} per sq\u00A0ft${period === '' ? '' : ` / ${period}`}`;
}
