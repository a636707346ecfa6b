/** The `_search` operation: query, sort, paging and total, with the store's limits. */
import { z } from 'zod';
import { assertSortable, type IndexedEntry, indexed, isObject, type Value } from './fields.ts';
import { compileQuery } from './query.ts';
import { badQuery, SearchError } from './search-error.ts';
import type { Entry } from './seed.ts';

/** `max_result_window`, and the default of `track_total_hits`. */
const maxResultWindow = 10_000;

const SearchBody = z.strictObject({
  query: z.unknown().optional(),
  size: z.int().min(0).default(10),
  from: z.int().min(0).default(0),
  sort: z.array(z.unknown()).default([]),
  // Entries without a value come last.
  search_after: z.array(z.union([z.string(), z.number(), z.null().transform(() => '\uffff')])).optional(),
  _source: z.union([z.boolean(), z.array(z.string())]).default(true),
  track_total_hits: z.union([z.boolean(), z.int()]).default(maxResultWindow),
  timeout: z.string().optional(),
});
type SearchBody = z.output<typeof SearchBody>;

interface SortKey {
  field: string;
  sign: 1 | -1;
}

export function search(
  entries: readonly IndexedEntry[],
  given: unknown,
): { total: object | undefined; hits: object[] } {
  const outcome = SearchBody.safeParse(given ?? {});
  if (!outcome.success) throw badQuery(z.prettifyError(outcome.error));
  const body = outcome.data;
  assertWithinWindow(body);
  const keys = body.sort.map(sortKey);
  if (body.search_after && body.search_after.length !== keys.length)
    throw badQuery(`search_after has ${body.search_after.length} value(s) but sort has ${keys.length}.`);
  const found = entries.filter(compileQuery(body.query)).map(entry => ({ entry, sort: keys.map(valueFor(entry)) }));
  if (keys.length > 0) found.sort((a, b) => compare(keys, a.sort, b.sort));
  const { search_after: after } = body;
  const rest = after ? found.filter(({ sort }) => compare(keys, sort, after) > 0) : found;
  return {
    total: totalOf(found.length, body.track_total_hits),
    hits: rest.slice(body.from, body.from + body.size).map(({ entry: { entry }, sort }) => ({
      _index: 'portal-activity',
      _id: entry._id,
      _score: keys.length > 0 ? null : 1,
      ...(body._source !== false && { _source: sourceOf(entry, body._source) }),
      ...(keys.length > 0 && { sort }),
    })),
  };
}

function assertWithinWindow({ from, size, search_after: after }: SearchBody): void {
  if (after && from > 0) throw badQuery('`from` parameter must be set to 0 when `search_after` is used.');
  if (from + size <= maxResultWindow) return;
  throw new SearchError(
    400,
    'illegal_argument_exception',
    `Result window is too large, from + size must be less than or equal to: [${maxResultWindow}] but was [${from + size}]. See the scroll api for a more efficient way to request large data sets.`,
  );
}

function sortKey(given: unknown): SortKey {
  const [field = '', order] =
    typeof given === 'string' ? [given] : isObject(given) ? (Object.entries(given)[0] ?? []) : [];
  assertSortable(field);
  const word = isObject(order) ? order.order : order;
  return { field, sign: word === 'desc' ? -1 : 1 };
}

const valueFor =
  (entry: IndexedEntry) =>
  ({ field }: SortKey): Value =>
    indexed(entry, field)[0] ?? '';

function compare(keys: readonly SortKey[], a: readonly Value[], b: readonly Value[]): number {
  for (const [index, { sign }] of keys.entries()) {
    const [one = '', other = ''] = [a[index], b[index]];
    if (one !== other) return one < other ? -sign : sign;
  }
  return 0;
}

function totalOf(count: number, tracked: boolean | number): object | undefined {
  if (tracked === false) return undefined;
  const bound = tracked === true ? Number.POSITIVE_INFINITY : tracked;
  return count > bound ? { value: bound, relation: 'gte' } : { value: count, relation: 'eq' };
}

/** Filters `_source` to the named members, including everything below them. */
function sourceOf({ _source }: Entry, wanted: true | string[]): object {
  if (wanted === true) return _source;
  const filtered: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(_source)) {
    const inner = wanted.filter(path => path.startsWith(`${name}.`)).map(path => path.slice(name.length + 1));
    if (wanted.includes(name)) filtered[name] = value;
    else if (isObject(value) && inner.length > 0)
      filtered[name] = Object.fromEntries(Object.entries(value).filter(([member]) => inner.includes(member)));
  }
  return filtered;
}
