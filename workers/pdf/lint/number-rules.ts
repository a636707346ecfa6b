/** Checks the price, and the size in square feet. */
import { isYes, numberOf, wholeNumber } from '../../../core/values/number-text.ts';
import type { Listing } from '../listing.ts';
import { error, type FieldFinding, hint, warning } from './finding.ts';

/** In AED. A lower figure is a rent or lacks its thousands. */
const minSale = 50_000;
/** In AED per year. A higher figure is a sale price. */
const maxRent = 20_000_000;
const minYearlyRent = 5_000;

const squareFeetInSquareMetre = 10.7639;
const metric = /(?:m²|m2|sqm|sq\.? ?m(?:et(?:er|re)s?)?|square met(?:er|re)s?|متر)\.?$/i;
const imperial = /(?:ft²|ft2|sqft|sq\.? ?f(?:ee)?t\.?|square f(?:ee|oo)t|قدم)\.?$/i;

/** In square feet. A smaller home with bedrooms is probably measured in square metres. */
const minWithBedroom = 200;
const minWithThreeBedrooms = 500;
/** In square feet. More is land, or has a digit too many. */
const maxSize = 500_000;

export function* priceFindings(listing: Listing): Iterable<FieldFinding> {
  if (isYes(listing.price_on_application)) return;
  const field = '/price';
  const text = listing.price.replace(/^AED|AED$/i, '').trim();
  const price = numberOf(text);
  if (text === '') {
    const detail = 'There is no price; enter it here, or "Yes" in price_on_application.';
    yield warning('price-missing', field, detail);
  } else if (price === null) {
    const detail = 'The price is not a number and is printed unchanged; write it as 1250000.';
    yield hint('price-text', field, detail);
  } else if (price === 0) {
    yield error('price-zero', field, 'The price is 0; enter it, or "Yes" in price_on_application.');
  } else if (/rent|let|lease/i.test(listing.purpose)) {
    yield* rentFindings(listing, price);
  } else if (price < minSale) {
    const detail = `AED ${wholeNumber(price)} is low for a sale: check for missing digits, and that the purpose is not Rent.`;
    yield warning('price-doubtful', field, detail);
  }
}

function* rentFindings({ rental_period: period }: Listing, price: number): Iterable<FieldFinding> {
  if (period === '') {
    const detail = 'The rent has no period; enter "Yearly" or "Monthly".';
    yield warning('rental-period-missing', '/rental_period', detail);
  }
  const isYearly = /year|annual|annum/i.test(period);
  if (price > maxRent || (isYearly && price < minYearlyRent)) {
    const detail = `AED ${wholeNumber(price)} is an unusual rent: check the rental period, and that the purpose is not Sale.`;
    yield warning('price-doubtful', '/price', detail);
  }
}

export function* sizeFindings(listing: Listing): Iterable<FieldFinding> {
  const { size } = listing;
  const field = '/size';
  if (size === '') return;
  if (metric.test(size)) {
    const metres = numberOf(size.replace(metric, ''));
    const conversion = metres === null ? '' : `; put ${Math.round(metres * squareFeetInSquareMetre)}`;
    const detail = `The size is in square metres and is printed as square feet${conversion}.`;
    yield warning('size-units', field, detail);
    return;
  }
  const squareFeet = numberOf(size.replace(imperial, ''));
  if (squareFeet === null) {
    yield warning('size-form', field, 'The size is not a number of square feet; write it as 1312.');
  } else if (squareFeet === 0) {
    yield error('size-zero', field, 'The size is 0; enter the square feet or leave the field empty.');
  } else if (isUnusualSize(listing, squareFeet)) {
    const detail = `${wholeNumber(squareFeet)} sq ft is unusual for this property; if the size is in m², enter ${wholeNumber(squareFeet * squareFeetInSquareMetre)}.`;
    yield warning('size-doubtful', field, detail);
  }
}

function isUnusualSize({ bedroom, property_type: type }: Listing, squareFeet: number): boolean {
  const bedrooms = numberOf(bedroom) ?? 0;
  if (squareFeet > maxSize) return !/land|plot|farm|warehouse|building|compound/i.test(type);
  return bedrooms >= 3 ? squareFeet < minWithThreeBedrooms : bedrooms >= 1 && squareFeet < minWithBedroom;
}
