/**
 * Reads the directory's lists. A call returns at most 100 rows, sometimes fewer although more follow; API version 2
 * guarantees no total; and a list may change between two calls, so that a deletion moves a row into a page that was read.
 */
import type { z } from 'zod';
import type { Call } from '../kit/call.ts';
import type { SystemHttp } from '../kit/http.ts';
import { goodRows, type ReadRow } from '../kit/read-rows.ts';
import { UpstreamError } from '../kit/upstream-error.ts';

const maxPageRows = 100;
const maxReads = 4;

export interface Range {
  offset: number;
  limit: number;
}

export interface Page<T> {
  items: T[];
  total: number;
}

export interface PagedList<T> {
  /** For errors, such as `users`. */
  title: string;
  /** Whether the directory sorts the rows. */
  sorted: boolean;
  /** `total` is undefined if the vendor guarantees none. */
  readPage(range: Range): Promise<{ items: ReadRow<T>[]; total: number | undefined }>;
}

/** All rows, once each; reports bad ones. @throws UpstreamError if the list changed or was incomplete in every read */
export const readWhole = async <T>(list: PagedList<T>): Promise<T[]> => goodRows(await readEach(list));

/** The same, with the bad rows. */
export async function readEach<T>(list: PagedList<T>): Promise<ReadRow<T>[]> {
  let previous: ReadonlyMap<string, unknown> | undefined;
  for (let reads = 1; reads <= maxReads; reads += 1) {
    const { rows, state } = await readOnce(list);
    const isConfirmed = state === 'unproven' && previous !== undefined && haveSameKeys(rows, previous);
    if (state === 'complete' || isConfirmed) return [...rows.values()];
    previous = state === 'unproven' ? rows : undefined;
  }
  throw incomplete(list.title);
}

/** Rows of a range of a sorted list with a total. @throws UpstreamError if the total changed in every read */
export async function readRange<T>(list: PagedList<T>, range: Range): Promise<Page<T>> {
  for (let reads = 1; reads <= maxReads; reads += 1) {
    const page = await readRangeOnce(list, range);
    if (page) return page;
  }
  throw incomplete(list.title);
}

/** The rows of a range of a list that was read completely. */
export const cutRange = <T>(rows: readonly T[], { offset, limit }: Range): Page<T> => ({
  items: rows.slice(offset, offset + limit),
  total: rows.length,
});

/** Reads pages of a list of API version 2. */
export const v2Pages =
  <T>(http: SystemHttp, path: string, answer: z.ZodType<ReadRow<T>[]>, query: Call['query'] = {}) =>
  async ({ offset, limit }: Range) => ({
    items: await http.get(path, answer, { ...query, limit, skip: offset }),
    total: undefined,
  });

/** @returns undefined if the total changed */
async function readRangeOnce<T>(list: PagedList<T>, { offset, limit }: Range): Promise<Page<T> | undefined> {
  const rows = new Map<string, ReadRow<T>>();
  let first: number | undefined;
  for (let at = offset; ; ) {
    const { items, total = at } = await list.readPage({
      offset: at,
      limit: Math.min(maxPageRows, offset + limit - at),
    });
    first ??= total;
    if (total !== first) return undefined;
    for (const row of items) rows.set(row.id, row);
    at += items.length;
    if (items.length === 0 || at >= Math.min(offset + limit, total))
      return { items: goodRows([...rows.values()]), total };
  }
}

/** `unproven`: several pages without an order or a total; a change between them would go unnoticed. */
type ReadState = 'complete' | 'changed' | 'unproven';

/**
 * Reads until the total is reached or a page has no new row. The next page starts after the rows received, which is never
 * too far. Pages of a sorted list overlap by one row: without an overlap, rows before the page were deleted and others
 * moved out of it.
 */
async function readOnce<T>(list: PagedList<T>): Promise<{ rows: Map<string, ReadRow<T>>; state: ReadState }> {
  const rows = new Map<string, ReadRow<T>>();
  const firstPage = await list.readPage({ offset: 0, limit: maxPageRows });
  const { total } = firstPage;
  const isWhole = () => total !== undefined && rows.size >= total;
  let at = 0;
  let pagesWithRows = 0;
  for (let page = firstPage; ; page = await list.readPage({ offset: at, limit: maxPageRows })) {
    const added = page.items.filter(row => !rows.has(row.id));
    const isGap = list.sorted && rows.size > 0 && added.length === page.items.length;
    const isRepeated = added.length === 0 && page.items.length >= maxPageRows;
    if (page.total !== total || isGap || isRepeated) return { rows, state: 'changed' };
    for (const row of added) rows.set(row.id, row);
    if (added.length > 0) pagesWithRows += 1;
    if (added.length === 0 || isWhole()) break;
    at += page.items.length - (list.sorted ? 1 : 0);
  }
  if (total !== undefined) return { rows, state: rows.size === total ? 'complete' : 'changed' };
  return { rows, state: list.sorted || pagesWithRows <= 1 ? 'complete' : 'unproven' };
}

const haveSameKeys = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean =>
  one.size === other.size && [...one.keys()].every(key => other.has(key));

const incomplete = (title: string): UpstreamError =>
  new UpstreamError(
    'upstream-failed',
    `The identity directory returned an incomplete list of ${title} in ${maxReads} reads: rows are missing, or the list changed each time.`,
    { kind: 'incomplete', system: 'directory', code: 'incomplete' },
  );
