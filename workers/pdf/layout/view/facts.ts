/** The facts row of a listing, and its details table, which also shows the facts that do not fit in the row. */
import { isYes, numberOf, oneDecimal, wholeNumber } from '../../../../core/values/number-text.ts';
import type { Listing } from '../../listing.ts';
import { squareFeetIn, squareMetresOf } from '../../vocabulary/amounts.ts';
import type { DetailView, ListingKind } from '../document-view.ts';
import { english, type Labels, type Word } from '../labels.ts';
import { mediaOf } from './links.ts';
import { contentOf, type ListingContent } from './listing-content.ts';
import { cleanText, directed, shortened } from './text.ts';
import { completionOf, furnishingOf, isHome, localised, readable } from './vocabulary.ts';

const thinSpace = '\u2009';

/** The width of the row allows no more. */
const maxFacts = 5;

/** By importance. */
const kindsShown: Readonly<Record<ListingKind, readonly FactKind[]>> = {
  home: ['bedrooms', 'bathrooms', 'size', 'plot-size', 'parking', 'furnishing'],
  'off-plan': ['bedrooms', 'bathrooms', 'size', 'handover', 'payment-plan', 'parking', 'furnishing'],
  holiday: ['guests', 'bedrooms', 'bathrooms', 'size', 'minimum-stay', 'parking', 'furnishing'],
  commercial: ['size', 'fit-out', 'parking', 'bathrooms', 'handover', 'furnishing'],
  land: ['size', 'zoning', 'permitted-height', 'ownership'],
};

const icons = {
  bedrooms: 'bed-double',
  bathrooms: 'bath',
  size: 'ruler-dimension-line',
  'plot-size': 'land-plot',
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
} as const;
type FactKind = keyof typeof icons;

export interface FactView {
  /** The listing's field, for `data-fit`. */
  field: keyof Listing;
  kind: FactKind;
  /** Name of the icon: `{{icon icon @root.brand.accent}}`. */
  icon: string;
  /** "4", "Studio", "1,312 sq ft · 122 m²" (thin spaces before the units). */
  value: string;
  word: Word;
  /** "Bedrooms", "Size"; two lines on pages in two languages. */
  label: string;
}

export const factIconNames: readonly string[] = Object.values(icons);

/** Kinds whose value comes from the description only. */
const describedKinds = {
  handover: 'handover',
  'payment-plan': 'paymentPlan',
  guests: 'guests',
  'minimum-stay': 'minimumStay',
  zoning: 'zoning',
  'permitted-height': 'permittedHeight',
  ownership: 'ownership',
} as const satisfies Partial<Record<FactKind, Word>>;

/** Facts from the description that get a row in the details table, in this order. */
const describedRows: readonly Word[] = [
  'handover',
  'paymentPlan',
  'developer',
  'projectNumber',
  'escrowAccount',
  'plotSize',
  'builtUpArea',
  'floorArea',
  'zoning',
  'permittedHeight',
  'ownership',
  'fitOut',
  'floor',
  'pantry',
  'washrooms',
  'guests',
  'minimumStay',
  'checkIn',
  'checkOut',
  'available',
  'deposit',
  'serviceCharge',
];

export const factsOf = (listing: Listing, labels: Labels = english): FactView[] =>
  allFactsOf(listing, labels).slice(0, maxFacts);

/**
 * Rows with a value only; the reference always has one.
 * @param facts the facts row, which the table does not repeat
 */
export function detailsOf(listing: Listing, labels: Labels = english, facts: readonly FactView[] = []): DetailView[] {
  const { kind, described } = contentOf(listing);
  const isBuilt = kind !== 'land';
  const completion = isBuilt ? completionOf(listing.completion_status, labels) : '';
  const isFact = (name: keyof Listing) => facts.some(({ field }) => field === name);
  const furnishing = isBuilt && !isFact('furnishing_type') ? furnishingOf(listing, labels) : '';
  const condition = isFact('property_condition') ? '' : listing.property_condition;
  const management = isYes(listing.property_managed_by_us) ? labels.plain('managedByUs') : '';
  const rows: [keyof Listing, Word, string][] = [
    ['reference_number', 'reference', cleanText(listing.reference_number)],
    ['property_type', 'propertyType', localised(listing.property_type, labels)],
    ['completion_status', 'completion', completion],
    ['furnishing_type', 'furnishing', furnishing],
    ['property_condition', 'condition', localised(condition, labels)],
    ['views', 'view', localised(listing.views, labels)],
    ['current_status', 'status', localised(listing.current_status, labels)],
    ['property_managed_by_us', 'management', management],
  ];
  for (const { kind: factKind, field, word, value } of allFactsOf(listing, labels)) {
    if (facts.some(fact => fact.kind === factKind)) continue;
    if (field !== 'description_en' && field !== 'plot_size' && word !== 'furnishing') rows.push([field, word, value]);
  }
  const plot = sizeOf(listing.plot_size, labels);
  if (!facts.some(fact => fact.word === 'plotSize')) rows.push(['plot_size', 'plotSize', plot]);
  const isShown = (word: Word) => facts.some(fact => fact.word === word) || (word === 'plotSize' && plot !== '');
  const others = describedRows.filter(word => !isShown(word));
  for (const word of others) rows.push(['description_en', word, described.get(word) ?? '']);
  for (const { word, text } of mediaOf(listing)) rows.push([`${word}_url`, word, text]);
  return [
    ...rows
      .filter(([, , value]) => value !== '')
      .map(([field, word, value]) => ({ field, label: labels.label(word), value: directed(value) })),
    ...paymentRowsOf(listing, labels),
  ];
}

/** In characters: of a line with milestone and terms; the milestone gets the rest, or its minimum. */
const paymentLine = { length: 34, minMilestone: 22 };

/** A heading without a value, then the instalments. */
function paymentRowsOf({ payment_plan }: Listing, labels: Labels): DetailView[] {
  const row = (label: string, value: string) => ({ field: 'payment_plan', label, value: directed(value) }) as const;
  const rows = payment_plan.flatMap(instalment => {
    const [milestone = '', ...terms] = [instalment.milestone, instalment.share, instalment.date].map(cleanText);
    const value = terms.filter(Boolean).join(' · ');
    const maxLength = Math.max(paymentLine.minMilestone, paymentLine.length - value.length);
    return milestone === '' || value === '' ? [] : [row(shortened(milestone, maxLength), value)];
  });
  return rows.length === 0 ? [] : [row(labels.label('paymentPlan'), ''), ...rows];
}

/** "1,312 sq ft · 122 m²". Rounds square feet down: the brochure must not promise more than the title deed. */
export function sizeOf(text: string, labels: Labels = english): string {
  const cleaned = cleanText(text);
  const squareFeet = squareFeetIn(cleaned);
  if (squareFeet === null) return cleaned;
  if (squareFeet === 0) return '';
  const squareMetres = squareMetresOf(squareFeet);
  const unit = labels.plain('squareFoot').replace('\u00A0', thinSpace);
  const imperial = `${wholeNumber(Math.floor(squareFeet))}${thinSpace}${unit}`;
  if (squareMetres < 1) return imperial;
  return `${imperial} · ${wholeNumber(squareMetres)}${thinSpace}${labels.plain('squareMetre')}`;
}

function allFactsOf(listing: Listing, labels: Labels): FactView[] {
  const content = contentOf(listing);
  return kindsShown[content.kind].flatMap(kind => factOf(kind, listing, content, labels) ?? []);
}

function factOf(kind: FactKind, listing: Listing, content: ListingContent, labels: Labels): FactView | undefined {
  const fact = (field: keyof Listing, value: string, word: Word): FactView | undefined => {
    const label = labels.label(word, '\n');
    return value === '' ? undefined : { field, kind, icon: icons[kind], value, word, label };
  };
  const described = (word: Word) => fact('description_en', content.described.get(word) ?? '', word);
  const counted = (field: 'bedroom' | 'bathroom' | 'parking', one: Word, many: Word) => {
    const value = field === 'bedroom' ? bedroomsOf(listing, labels) : countOf(listing[field]);
    return fact(field, value, value === '1' ? one : many);
  };
  switch (kind) {
    case 'bedrooms':
      return counted('bedroom', 'bedroom', 'bedrooms');
    case 'bathrooms':
      return content.kind === 'commercial'
        ? counted('bathroom', 'washroom', 'washrooms')
        : counted('bathroom', 'bathroom', 'bathrooms');
    case 'parking':
      return counted('parking', 'parkingBay', 'parkingBays');
    case 'size':
      if (content.kind !== 'land') return fact('size', sizeOf(listing.size, labels), 'size');
      return fact('size', sizeOf(listing.size, labels) || sizeOf(listing.plot_size, labels), 'plotSize');
    case 'plot-size':
      return fact('plot_size', sizeOf(listing.plot_size, labels), 'plotSize');
    case 'furnishing':
      return fact('furnishing_type', furnishingOf(listing, labels.main), 'furnishing');
    case 'fit-out':
      return described('fitOut') ?? fact('property_condition', readable(listing.property_condition), 'fitOut');
    default:
      return described(describedKinds[kind]);
  }
}

function bedroomsOf(listing: Listing, labels: Labels): string {
  const bedrooms = cleanText(listing.bedroom);
  if (numberOf(bedrooms) === 0) return isHome(listing.property_type) ? labels.plain('studio') : '';
  if (labels.language !== 'en' && /^studio$/i.test(bedrooms)) return labels.plain('studio');
  return countOf(bedrooms);
}

/** A formatted number, '' for 0, other text unchanged. */
function countOf(text: string): string {
  const cleaned = cleanText(text);
  const number = numberOf(cleaned);
  if (number === 0) return '';
  return number === null ? cleaned : oneDecimal(number);
}
