/** The index mapping: field types, indexed values and sortable fields. */
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

/** Undefined for a field that is not mapped; such a field has no values. */
export const kindOf = (field: string): Kind | undefined => mapping[field];

/** The answer of `_field_caps`; leaves out fields that are not mapped. @param pattern names, comma-separated, or `*` */
export function capabilitiesOf(pattern: string): Record<string, unknown> {
  const names = pattern === '*' ? Object.keys(mapping) : pattern.split(',');
  return Object.fromEntries(
    names.flatMap(name => {
      const type = kindOf(name);
      const capability = { type, searchable: true, aggregatable: type !== 'text', metadata_field: false };
      return type === undefined ? [] : [[name, { [type]: capability }]];
    }),
  );
}

/** An entry with its indexed values. */
export interface IndexedEntry {
  entry: Entry;
  /** By field. */
  values: ReadonlyMap<string, readonly Value[]>;
}

/** Shared by the sandboxes of a process. */
const knownEntries = new WeakMap<Entry, IndexedEntry>();

export function indexEntry(entry: Entry): IndexedEntry {
  const known = knownEntries.get(entry) ?? {
    entry,
    values: new Map(Object.keys(mapping).map(field => [field, valuesOf(entry, field)])),
  };
  knownEntries.set(entry, known);
  return known;
}

export const indexed = ({ values }: IndexedEntry, field: string): readonly Value[] => values.get(field) ?? [];

/** Dates in ms since 1970, the lower-case words of a text, anything else unchanged. */
function valuesOf({ _source }: Entry, field: string): Value[] {
  const found = field
    .replace(/\.keyword$/, '')
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), { ..._source });
  if (typeof found !== 'string' && typeof found !== 'number') return [];
  const kind = kindOf(field);
  if (kind === 'date') return [Date.parse(String(found))];
  if (kind !== 'text') return [found];
  return String(found)
    .toLowerCase()
    .split(/[^\p{L}\p{N}.]+/u)
    .filter(Boolean);
}

/** @throws SearchError for a text field or a field that is not mapped */
export function assertSortable(field: string): void {
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
