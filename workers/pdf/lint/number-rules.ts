/** Checks the price, and the size in square feet. */
import { isYes, numberOf, wholeNumber } from '../../../core/values/number-text.ts';
import { cleanText } from '../layout/view/text.ts';
import { kindOf, periodOf, purposeOf } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { priceIn, squareFeetIn } from '../vocabulary/amounts.ts';
import { error, type FieldFinding, warning } from './finding.ts';

/** In AED. A lower figure is a rent or lacks its thousands. */
const minSale = 50_000;
/** In AED per year. A higher figure is a sale price. */
const maxRent = 20_000_000;
const minYearlyRent = 5_000;

const squareFeetInSquareMetre = 10.7639;

/** In square feet. A smaller home with bedrooms is probably measured in square metres. */
const minWithBedroom = 200;
const minWithThreeBedrooms = 500;
/** In square feet. More is land, or has a digit too many. */
const maxSize = 500_000;

export function* priceFindings(listing: Listing): Iterable<FieldFinding> {
  if (isYes(listing.price_on_application)) return;
  const field = '/price';
  const text = cleanText(listing.price);
  const price = priceIn(text);
  if (text === '') {
    const detail = 'There is no price; enter it here, or "Yes" in price_on_application.';
    yield warning('price-missing', field, detail);
  } else if (price === null) {
    const detail = 'The price is not a number and is printed unchanged; write it as 1250000.';
    yield warning('price-text', field, detail);
  } else if (price.amount === 0) {
    yield error('price-zero', field, 'The price is 0; enter it, or "Yes" in price_on_application.');
  } else if (purposeOf(listing.purpose) === 'rent') {
    yield* rentFindings(listing, price.amount);
  } else if (price.amount < minSale) {
    const detail = `${price.currency} ${wholeNumber(price.amount)} is low for a sale: check for missing digits, and that the purpose is not Rent.`;
    yield warning('price-doubtful', field, detail);
  }
}

function* rentFindings({ rental_period: period }: Listing, price: number): Iterable<FieldFinding> {
  if (period === '') {
    const detail = 'The rent has no period; enter "Yearly" or "Monthly".';
    yield warning('rental-period-missing', '/rental_period', detail);
  }
  const isYearly = periodOf(period) === 'year';
  if (price > maxRent || (isYearly && price < minYearlyRent)) {
    const detail = `AED ${wholeNumber(price)} is an unusual rent: check the rental period, and that the purpose is not Sale.`;
    yield warning('price-doubtful', '/price', detail);
  }
}

export function* sizeFindings(listing: Listing): Iterable<FieldFinding> {
  const plot = cleanText(listing.plot_size);
  if (plot !== '' && squareFeetIn(plot) === null) {
    const detail = 'The plot size is not a number of square feet or m² and is printed unchanged; write it as 5200.';
    yield warning('size-form', '/plot_size', detail);
  }
  const size = cleanText(listing.size);
  const field = '/size';
  if (size === '') return;
  const squareFeet = squareFeetIn(size);
  if (squareFeet === null) {
    const detail = 'The size is not a number of square feet or m² and is printed unchanged; write it as 1312.';
    yield warning('size-form', field, detail);
  } else if (squareFeet === 0) {
    yield error('size-zero', field, 'The size is 0; enter the square feet or leave the field empty.');
  } else if (isUnusualSize(listing, squareFeet)) {
    const detail = `${wholeNumber(squareFeet)} sq ft is unusual for this property; if the size is in m², enter ${wholeNumber(squareFeet * squareFeetInSquareMetre)}.`;
    yield warning('size-doubtful', field, detail);
  }
}

function isUnusualSize(listing: Listing, squareFeet: number): boolean {
  const bedrooms = numberOf(listing.bedroom) ?? 0;
  if (squareFeet > maxSize) return !['land', 'commercial'].includes(kindOf(listing));
  return bedrooms >= 3 ? squareFeet < minWithThreeBedrooms : bedrooms >= 1 && squareFeet < minWithBedroom;
}
