/** The index's mapping: which field is found and sorted by what. */
import { badQuery, SearchError } from './search-error.ts';
import type { Entry } from './seed.ts';

type Kind = 'date' | 'keyword' | 'long' | 'text';
export type Value = string | number;

const mapping: Readonly<Record<string, Kind>> = {
  '@timestamp': 'date',
  'event.id': 'keyword',
  'event.action': 'keyword',
  'listing.reference': 'keyword',
  'user.crm_id': 'long',
  'user.email': 'text',
  'user.email.keyword': 'keyword',
  'user.phone': 'text',
  'user.phone.keyword': 'keyword',
};

/** A field that the mapping does not have is in no entry. */
export const kindOf = (field: string): Kind | undefined => mapping[field];

/** What the index has of an entry: dates in ms, words of a text in lower case, everything else as it is. */
export function indexed({ _source }: Entry, field: string): Value[] {
  const found = field
    .replace(/\.keyword$/, '')
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), { ..._source });
  if (typeof found !== 'string' && typeof found !== 'number') return [];
  switch (kindOf(field)) {
    case 'date':
      return [Date.parse(String(found))];
    case 'text':
      return String(found)
        .toLowerCase()
        .split(/[^\p{L}\p{N}.]+/u)
        .filter(Boolean);
    case undefined:
      return [];
    default:
      return [found];
  }
}

export function sortable(field: string): void {
  if (kindOf(field) === undefined) throw badQuery(`No mapping found for [${field}] in order to sort on`);
  if (kindOf(field) !== 'text') return;
  throw new SearchError(
    400,
    'illegal_argument_exception',
    `Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [${field}].`,
  );
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
