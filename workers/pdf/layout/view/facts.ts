/** The facts row: of what exists, what matters most for this kind of property, each with its icon and words. */
import type { Listing } from '../../listing.ts';
import { type Labels, labelsOf, type Word } from '../labels.ts';
import type { FactView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import type { ListingKind } from './listing-kind.ts';
import { type ListingWords, wordsOf } from './listing-words.ts';
import { count, numberOf, wholeNumber } from './number-text.ts';
import { asLabel, furnishingOf, isHome } from './vocabulary.ts';

const english = labelsOf('en');
const thin = '\u2009';
const squareMetresPerSquareFoot = 0.09290304;

/** As many as stand in a row with their words. */
const mostFacts = 5;

type FactKind = FactView['kind'];

/** The most important first. */
const shownFor: Readonly<Record<ListingKind, readonly FactKind[]>> = {
  home: ['bedrooms', 'bathrooms', 'size', 'parking', 'furnishing'],
  'off-plan': ['bedrooms', 'bathrooms', 'size', 'handover', 'payment-plan', 'parking', 'furnishing'],
  holiday: ['guests', 'bedrooms', 'bathrooms', 'size', 'minimum-stay', 'parking', 'furnishing'],
  commercial: ['size', 'fit-out', 'parking', 'bathrooms', 'handover', 'furnishing'],
  land: ['size', 'zoning', 'permitted-height', 'ownership'],
};

const icons = {
  bedrooms: 'bed-double',
  bathrooms: 'bath',
  size: 'ruler-dimension-line',
  parking: 'car',
  furnishing: 'sofa',
  handover: 'key-round',
  'payment-plan': 'hand-coins',
  guests: 'users',
  'minimum-stay': 'moon',
  'fit-out': 'layout-panel-left',
  zoning: 'map',
  'permitted-height': 'building-2',
  ownership: 'scroll-text',
} as const satisfies Record<FactKind, string>;

/** "1,312 sq ft · 122 m²". Square feet are cut, not rounded up, so that no brochure promises more than the deed. */
export function sizeOf(text: string, labels: Labels = english): string {
  const said = cleanText(text);
  const squareFeet = numberOf(said);
  if (squareFeet === null) return said;
  if (squareFeet === 0) return '';
  const squareMetres = squareFeet * squareMetresPerSquareFoot;
  const foot = labels.plain('squareFoot').replace('\u00A0', thin);
  const imperial = `${wholeNumber(Math.floor(squareFeet))}${thin}${foot}`;
  if (squareMetres < 1) return imperial;
  return `${imperial} · ${wholeNumber(squareMetres)}${thin}${labels.plain('squareMetre')}`;
}

export function factsOf(listing: Listing, labels: Labels = english): FactView[] {
  const words = wordsOf(listing);
  return shownFor[words.kind].flatMap(kind => factOf(kind, listing, words, labels) ?? []).slice(0, mostFacts);
}

/** What of the facts found no room in the row belongs to the details. */
export function furtherFactsOf(listing: Listing, shown: readonly FactView[], labels: Labels): FactView[] {
  const words = wordsOf(listing);
  return shownFor[words.kind]
    .filter(kind => !shown.some(fact => fact.kind === kind))
    .flatMap(kind => factOf(kind, listing, words, labels) ?? []);
}

function factOf(kind: FactKind, listing: Listing, words: ListingWords, labels: Labels): FactView | undefined {
  const said = (word: Word, shown: FactKind) =>
    fact(shown, 'description_en', words.said.get(word) ?? '', word);
  const fact = (shown: FactKind, field: keyof Listing, value: string, word: Word): FactView | undefined =>
    value === ''
      ? undefined
      : { field, kind: shown, icon: icons[shown], value, word, label: labels.label(word, '\n') };
  const counted = (field: 'bedroom' | 'bathroom' | 'parking', one: Word, many: Word) => {
    const value = field === 'bedroom' ? bedroomsOf(listing, labels) : amountOf(listing[field]);
    return fact(kind, field, value, value === '1' ? one : many);
  };
  switch (kind) {
    case 'bedrooms':
      return counted('bedroom', 'bedroom', 'bedrooms');
    case 'bathrooms':
      return words.kind === 'commercial'
        ? counted('bathroom', 'washroom', 'washrooms')
        : counted('bathroom', 'bathroom', 'bathrooms');
    case 'parking':
      return counted('parking', 'parkingBay', 'parkingBays');
    case 'size':
      return fact(kind, 'size', sizeOf(listing.size, labels), words.kind === 'land' ? 'plotSize' : 'size');
    case 'furnishing': {
      const furnishing = furnishingOf(listing.furnishing_type, listing.furnished, labels);
      return fact(kind, 'furnishing_type', furnishing, 'furnishing');
    }
    case 'fit-out':
      return (
        said('fitOut', kind) ??
        fact(kind, 'property_condition', asLabel(listing.property_condition), 'fitOut')
      );
    case 'handover':
      return said('handover', kind);
    case 'payment-plan':
      return said('paymentPlan', kind);
    case 'guests':
      return said('guests', kind);
    case 'minimum-stay':
      return said('minimumStay', kind);
    case 'zoning':
      return said('zoning', kind);
    case 'permitted-height':
      return said('permittedHeight', kind);
    case 'ownership':
      return said('ownership', kind);
  }
}

function bedroomsOf(listing: Listing, labels: Labels): string {
  const said = cleanText(listing.bedroom);
  if (numberOf(said) === 0) return isHome(listing.property_type) ? labels.plain('studio') : '';
  if (labels.language !== 'en' && /^studio$/i.test(said)) return labels.plain('studio');
  return amountOf(said);
}

/** A count, '' for none, or the text as it stands. */
function amountOf(text: string): string {
  const said = cleanText(text);
  const amount = numberOf(said);
  if (amount === 0) return '';
  return amount === null ? said : count(amount);
}
