/** The printed price, with the terms of a rent and the price per square foot. */
import { isYes, money, numberOf, wholeNumber } from '../../../../core/values/number-text.ts';
import type { Listing } from '../../listing.ts';
import type { ListingKind } from '../document-view.ts';
import { english, type Labels, type Word } from '../labels.ts';
import { cleanText } from './text.ts';
import { purposeOf } from './vocabulary.ts';

type PricedListing = Pick<Listing, 'price' | 'price_on_application' | 'purpose' | 'rental_period' | 'cheques' | 'size'>;

type Period = Extract<Word, 'year' | 'month' | 'week' | 'day' | 'night'>;

const periods: readonly [RegExp, Period][] = [
  [/^(?:year|yearly|annual|annually|per year|per annum|p\.?a\.?|year\/?ly)$/i, 'year'],
  [/^(?:month|monthly|per month)$/i, 'month'],
  [/^(?:week|weekly|per week)$/i, 'week'],
  [/^(?:night|nightly|per night)$/i, 'night'],
  [/^(?:day|daily|per day)$/i, 'day'],
];

/** `currencyAfter`: the currency in languages that put it after the number. */
const unpriced = { currency: '', amount: '', currencyAfter: '', terms: '', perSquareFoot: '' };

/** Of a period that is not in the list above; a longer one is text, which the unit price does not repeat. */
const maxPeriodLength = 12;

/** By the plural form of the number. */
const arabicCheques: Readonly<Record<Intl.LDMLPluralRule, (count: string) => string>> = {
  zero: count => `${count} شيك`,
  one: () => 'شيك واحد',
  two: () => 'شيكان',
  few: count => `${count} شيكات`,
  many: count => `${count} شيكًا`,
  other: count => `${count} شيك`,
};
const arabicPlurals = new Intl.PluralRules('ar');

/**
 * null when the price is missing and not on application.
 * @param currency "AED" in the page's language, or the currency's sign
 */
export function priceOf(
  listing: PricedListing,
  labels: Labels = english,
  kind: ListingKind = 'home',
  currency: string = labels.plain('aed'),
) {
  if (isYes(listing.price_on_application)) return { ...unpriced, amount: labels.plain('onApplication') };
  const text = cleanText(listing.price)
    .replace(/^AED|AED$/i, '')
    .trim();
  const price = numberOf(text);
  if (text === '' || price === 0) return null;
  const terms = termsOf(listing, labels, kind);
  if (price === null) return { ...unpriced, amount: text, terms: terms.text };
  return {
    ...(labels.lang === 'ar' ? { currency: '', currencyAfter: currency } : { currency, currencyAfter: '' }),
    amount: money(price),
    terms: terms.text,
    perSquareFoot: kind === 'holiday' ? '' : perSquareFoot(price, listing, terms.period, labels),
  };
}

function termsOf(listing: PricedListing, labels: Labels, kind: ListingKind) {
  const isRent = purposeOf(listing.purpose) === 'rent' || kind === 'holiday';
  if (!isRent) return { text: '', period: '' };
  const period = periodOf(listing.rental_period, labels, kind);
  const parts = [period === '' ? '' : `/ ${period}`, chequesOf(listing.cheques, labels)];
  return { text: parts.filter(part => part !== '').join(' · '), period };
}

/** The "daily" rate of a holiday home is its price per night. */
function periodOf(text: string, labels: Labels, kind: ListingKind): string {
  const cleaned = cleanText(text);
  const period = periods.find(([pattern]) => pattern.test(cleaned))?.[1];
  if (period === undefined) return cleaned;
  return labels.plain(period === 'day' && kind === 'holiday' ? 'night' : period);
}

function chequesOf(text: string, labels: Labels): string {
  const cleaned = cleanText(text);
  const cheques = numberOf(cleaned);
  if (cleaned === '' || cheques === 0) return '';
  if (cheques !== null && labels.lang === 'ar') {
    return arabicCheques[arabicPlurals.select(cheques)](wholeNumber(cheques));
  }
  if (cheques !== null) return cheques === 1 ? '1 cheque' : `${wholeNumber(cheques)} cheques`;
  return /che(?:que|ck)|payment/i.test(cleaned) ? cleaned : `${cleaned} cheques`;
}

function perSquareFoot(price: number, listing: PricedListing, period: string, labels: Labels): string {
  const size = numberOf(listing.size) ?? 0;
  if (size <= 0 || price / size < 1 || period.length > maxPeriodLength) return '';
  const amount = wholeNumber(price / size);
  const foot = labels.plain('squareFoot');
  const each = period === '' ? '' : ` / ${period}`;
  if (labels.lang === 'ar') return `${amount}\u00A0${labels.plain('aed')} لكل ${foot}${each}`;
  return `AED\u00A0${amount} per ${foot}${each}`;
}
