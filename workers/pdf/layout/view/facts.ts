/** The facts row: only what exists, each with the icon and the words beside it. */
import type { Listing } from '../../listing.ts';
import type { FactView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { count, numberOf, wholeNumber } from './number-text.ts';
import { furnishingOf, isHome } from './vocabulary.ts';

const thin = '\u2009';
const squareMetresPerSquareFoot = 0.09290304;

/** "1,312 sq ft · 122 m²". Square feet are cut, not rounded up, so that no brochure promises more than the deed. */
export function sizeOf(text: string): string {
  const said = cleanText(text);
  const squareFeet = numberOf(said);
  if (squareFeet === null) return said;
  if (squareFeet === 0) return '';
  const squareMetres = squareFeet * squareMetresPerSquareFoot;
  const imperial = `${wholeNumber(Math.floor(squareFeet))}${thin}sq${thin}ft`;
  return squareMetres < 1 ? imperial : `${imperial} · ${wholeNumber(squareMetres)}${thin}m²`;
}

export function factsOf(listing: Listing): FactView[] {
  const furnishing = furnishingOf(listing.furnishing_type, listing.furnished);
  return [
    fact('bedrooms', bedroomsOf(listing), 'Bedroom', 'Bedrooms'),
    fact('bathrooms', amountOf(listing.bathroom), 'Bathroom', 'Bathrooms'),
    fact('size', sizeOf(listing.size), 'Size', 'Size'),
    fact('parking', amountOf(listing.parking), 'Parking bay', 'Parking bays'),
    fact('furnishing', furnishing, 'Furnishing', 'Furnishing'),
  ].filter(view => view !== null);
}

function bedroomsOf(listing: Listing): string {
  const said = cleanText(listing.bedroom);
  if (numberOf(said) === 0) return isHome(listing.property_type) ? 'Studio' : '';
  return amountOf(said);
}

/** A count, '' for none, or the text as it stands. */
function amountOf(text: string): string {
  const said = cleanText(text);
  const amount = numberOf(said);
  if (amount === 0) return '';
  return amount === null ? said : count(amount);
}

const fields = {
  bedrooms: 'bedroom',
  bathrooms: 'bathroom',
  size: 'size',
  parking: 'parking',
  furnishing: 'furnishing_type',
} as const satisfies Record<FactView['kind'], keyof Listing>;

const icons = {
  bedrooms: 'icon/bed-double',
  bathrooms: 'icon/bath',
  size: 'icon/ruler-dimension-line',
  parking: 'icon/car',
  furnishing: 'icon/sofa',
} as const satisfies Record<FactView['kind'], string>;

function fact(kind: FactView['kind'], value: string, one: string, many: string): FactView | null {
  if (value === '') return null;
  return { field: fields[kind], kind, icon: icons[kind], value, label: value === '1' ? one : many };
}
