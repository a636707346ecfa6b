/** Reads the directory's lists, which return at most 100 rows a call. */
import type { z } from 'zod';
import type { Call } from '../kit/call.ts';
import type { SystemHttp } from '../kit/http.ts';

const maxPageRows = 100;

export interface Range {
  offset: number;
  limit: number;
}

export interface Page<T> {
  items: T[];
  total: number;
}

/** Rows of a range of any length. */
export async function readRange<T>(
  { offset, limit }: Range,
  readPage: (range: Range) => Promise<Page<T>>,
): Promise<Page<T>> {
  const items: T[] = [];
  let total = Number.POSITIVE_INFINITY;
  // Advances by page size, not by rows received: the vendor's pages may be short before the end.
  for (let at = offset; at < Math.min(offset + limit, total); at += maxPageRows) {
    const page = await readPage({ offset: at, limit: Math.min(maxPageRows, offset + limit - at) });
    items.push(...page.items);
    total = page.total;
  }
  return { items, total };
}

export const readWhole = async <T>(readPage: (range: Range) => Promise<Page<T>>): Promise<Page<T>> =>
  await readRange({ offset: 0, limit: Number.POSITIVE_INFINITY }, readPage);

/** API version 2 returns the total in a header; without the header, a page that is not full is the last one. */
export async function readPageWithTotal<A extends z.ZodType<unknown[]>>(
  http: SystemHttp,
  call: Pick<Call<A>, 'path' | 'query' | 'answer'>,
  { offset, limit }: Range,
): Promise<Page<z.output<A>[number]>> {
  const query = { ...call.query, limit, skip: offset };
  const { body, answer } = await http.callWhole({ class: 'read', method: 'GET', ...call, query });
  const total = Number(answer.headers['x-total-count'] ?? Number.NaN);
  const end = body.length < limit ? offset + body.length : Number.POSITIVE_INFINITY;
  return { items: body, total: Number.isInteger(total) ? total : end };
}
