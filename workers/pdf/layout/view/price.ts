/** The printed price, with the terms of a rent and the price per square foot. */
import { isYes, money, numberOf, wholeNumber } from '../../../../core/values/number-text.ts';
import type { Listing } from '../../listing.ts';
import { priceIn, squareFeetIn } from '../../vocabulary/amounts.ts';
import type { ListingKind } from '../document-view.ts';
import { english, type Labels } from '../labels.ts';
import { cleanText } from './text.ts';
import { periodOf, purposeOf, rentalPeriodOf } from './vocabulary.ts';

type PricedListing = Pick<Listing, 'price' | 'price_on_application' | 'purpose' | 'rental_period' | 'cheques' | 'size'>;

/**
 * `currencyAfter`: the currency in languages that put it after the number. `isNumber`: false for words. `termsArabic`: also,
 * on a bilingual page, that the price is on application.
 */
const unpriced = {
  currency: '',
  amount: '',
  currencyAfter: '',
  isNumber: false,
  terms: '',
  termsArabic: '',
  perSquareFoot: '',
};

/** The length of a period that is not in the list above; a longer one is text, which the unit price does not repeat. */
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
  if (isYes(listing.price_on_application)) {
    const termsArabic = labels.second?.plain('onApplication') ?? '';
    return { ...unpriced, amount: labels.plain('onApplication'), termsArabic };
  }
  const text = cleanText(listing.price);
  const price = priceIn(text);
  if (text === '' || price?.amount === 0) return null;
  const terms = termsOf(listing, labels.main, kind);
  const second = labels.second === null ? '' : termsOf(listing, labels.second, kind).text;
  const shown = { terms: terms.text, termsArabic: second === terms.text ? '' : second };
  if (price === null) return { ...unpriced, ...shown, amount: text };
  const isDirham = price.currency === 'AED';
  const unit = isDirham ? currency : price.currency;
  const name = isDirham ? labels.plain('aed') : price.currency;
  return {
    ...(labels.lang === 'ar' ? { currency: '', currencyAfter: unit } : { currency: unit, currencyAfter: '' }),
    amount: money(price.amount),
    isNumber: true,
    ...shown,
    perSquareFoot: kind === 'holiday' ? '' : perSquareFoot({ ...price, name }, listing, terms.period, labels),
  };
}

function termsOf(listing: PricedListing, labels: Labels, kind: ListingKind) {
  const isRent = purposeOf(listing.purpose) === 'rent' || kind === 'holiday';
  if (!isRent) return { text: '', period: '' };
  const period = periodWord(listing.rental_period, labels, kind);
  const parts = [period === '' ? '' : `/ ${period}`, chequesOf(listing.cheques, labels)];
  return { text: parts.filter(part => part !== '').join(' · '), period };
}

/** The "daily" rate of a holiday home is its price per night. */
const periodWord = (text: string, labels: Labels, kind: ListingKind): string =>
  rentalPeriodOf(kind === 'holiday' && periodOf(text) === 'day' ? 'night' : text, labels);

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

/** @param price `name`: of the currency, in the page's language */
function perSquareFoot(
  price: { amount: number; name: string },
  listing: PricedListing,
  period: string,
  labels: Labels,
): string {
  const size = squareFeetIn(cleanText(listing.size)) ?? 0;
  if (size <= 0 || price.amount / size < 1 || period.length > maxPeriodLength) return '';
  const amount = wholeNumber(price.amount / size);
  const foot = labels.plain('squareFoot');
  const each = period === '' ? '' : ` / ${period}`;
  if (labels.lang === 'ar') return `${amount}\u00A0${price.name} لكل ${foot}${each}`;
  return `${price.name}\u00A0${amount} per ${foot}${each}`;
}
