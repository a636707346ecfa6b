/** Reads the directory's lists, of which a call gives a hundred rows at most. */
import type { z } from 'zod';
import type { Call } from '../kit/call.ts';
import type { SystemHttp } from '../kit/http.ts';

const highestLimit = 100;

export interface Range {
  offset: number;
  limit: number;
}

export interface Page<T> {
  items: T[];
  total: number;
}

/** Rows in a range of any length, in calls of a hundred. */
export async function readRange<T>(
  { offset, limit }: Range,
  readPage: (range: Range) => Promise<Page<T>>,
): Promise<Page<T>> {
  const items: T[] = [];
  let total = Number.POSITIVE_INFINITY;
  // By position, not by the rows that came: the vendor's pages may be short before the end.
  for (let at = offset; at < Math.min(offset + limit, total); at += highestLimit) {
    const page = await readPage({ offset: at, limit: Math.min(highestLimit, offset + limit - at) });
    items.push(...page.items);
    total = page.total;
  }
  return { items, total };
}

export const readWhole = async <T>(readPage: (range: Range) => Promise<Page<T>>): Promise<Page<T>> =>
  await readRange({ offset: 0, limit: Number.POSITIVE_INFINITY }, readPage);

/** Version 2 tells the total in a header; where it does not, a page that is not full is taken for the last one. */
export async function readHeadedPage<A extends z.ZodType<unknown[]>>(
  http: SystemHttp,
  call: Call<A>,
  { offset, limit }: Range,
): Promise<Page<z.output<A>[number]>> {
  const { body, answer } = await http.callWhole({ ...call, query: { ...call.query, limit, skip: offset } });
  const told = Number(answer.headers['x-total-count'] ?? Number.NaN);
  const reached = body.length < limit ? offset + body.length : Number.POSITIVE_INFINITY;
  return { items: body, total: Number.isInteger(told) ? told : reached };
}
