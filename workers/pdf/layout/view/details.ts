/** The details table: only the rows that exist; the reference always does. */
import type { Listing } from '../../listing.ts';
import { type Labels, labelsOf, type Word } from '../labels.ts';
import type { DetailView, FactView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { furtherFactsOf } from './facts.ts';
import { wordsOf } from './listing-words.ts';
import { isFlagged } from './number-text.ts';
import { directed } from './text-direction.ts';
import { completionOf, furnishingOf, saidIn } from './vocabulary.ts';

const english = labelsOf('en');

/** Facts from the description that stand in the table wherever they are said, in this order. */
const saidRows: readonly Word[] = [
  'handover',
  'paymentPlan',
  'developer',
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

/** @param facts what the facts row says already and the table need not repeat */
export function detailsOf(
  listing: Listing,
  labels: Labels = english,
  facts: readonly FactView[] = [],
): DetailView[] {
  const { kind, said } = wordsOf(listing);
  const isBuilt = kind !== 'land';
  const type = saidIn(listing.property_type, labels);
  const completion = isBuilt ? completionOf(listing.completion_status, labels) : '';
  const furnishing = isBuilt ? furnishingOf(listing.furnishing_type, listing.furnished, labels) : '';
  const condition = facts.some(fact => fact.field === 'property_condition') ? '' : listing.property_condition;
  const rows: [keyof Listing, Word, string][] = [
    ['reference_number', 'reference', cleanText(listing.reference_number)],
    ['property_type', 'propertyType', type],
    ['completion_status', 'completion', completion],
    ['furnishing_type', 'furnishing', furnishing],
    ['property_condition', 'condition', saidIn(condition, labels)],
    ['views', 'view', saidIn(listing.views, labels)],
    ['current_status', 'status', saidIn(listing.current_status, labels)],
    [
      'property_managed_by_us',
      'management',
      isFlagged(listing.property_managed_by_us) ? labels.plain('managedByUs') : '',
    ],
  ];
  const fromFields = rows.map(([field, word, value]) => row(field, labels.label(word), value));
  const fromStory = saidRows
    .filter(word => !facts.some(fact => fact.word === word))
    .map(word => row('description_en', labels.label(word), said.get(word) ?? ''));
  const fromFacts = furtherFactsOf(listing, facts, labels)
    .filter(fact => fact.field !== 'description_en' && fact.word !== 'furnishing')
    .map(fact => row(fact.field, labels.label(fact.word), fact.value));
  return [...fromFields, ...fromFacts, ...fromStory].filter(({ value }) => value.text !== '');
}

const row = (field: string, label: string, value: string): DetailView => ({
  field,
  label,
  value: directed(value),
});
