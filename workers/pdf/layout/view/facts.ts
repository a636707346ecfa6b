/** The facts row: only what exists, each with the icon and the words beside it. */
import type { Listing } from '../../listing.ts';
import type { FactView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { count, numberOf, wholeNumber } from './number-text.ts';
import { furnishingOf, isHome } from './vocabulary.ts';

const thin = '\u2009';
const squareMetresPerSquareFoot = 0.09290304;

/** `main` and `metric` are the halves of a size: "1,312 sq ft" and "122 m²". */
export interface SizeText {
  main: string;
  metric: string;
}

/** Square feet are cut, not rounded up, so that no brochure promises more than the deed. */
export function sizeOf(text: string): SizeText | null {
  const said = cleanText(text);
  const squareFeet = numberOf(said);
  if (said === '' || squareFeet === 0) return null;
  if (squareFeet === null) return { main: said, metric: '' };
  const squareMetres = squareFeet * squareMetresPerSquareFoot;
  return {
    main: `${wholeNumber(Math.floor(squareFeet))}${thin}sq${thin}ft`,
    metric: squareMetres < 1 ? '' : `${wholeNumber(squareMetres)}${thin}m²`,
  };
}

export function factsOf(listing: Listing): FactView[] {
  const furnishing = furnishingOf(listing.furnishing_type, listing.furnished);
  return [
    fact('bedrooms', bedroomsOf(listing), 'Bedroom', 'Bedrooms'),
    fact('bathrooms', amountOf(listing.bathroom), 'Bathroom', 'Bathrooms'),
    sizeFact(sizeOf(listing.size)),
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
  return {
    field: fields[kind],
    kind,
    icon: icons[kind],
    value,
    main: value,
    metric: '',
    label: value === '1' ? one : many,
  };
}

function sizeFact(size: SizeText | null): FactView | null {
  if (size === null) return null;
  const value = size.metric === '' ? size.main : `${size.main} · ${size.metric}`;
  return {
    field: fields.size,
    kind: 'size',
    icon: icons.size,
    value,
    main: size.main,
    metric: size.metric,
    label: 'Size',
  };
}
