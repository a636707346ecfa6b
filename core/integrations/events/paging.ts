/** Reads lists that are paged by continuation tokens, and compares the rows with the number that the platform counts. */
import type { z } from 'zod';
import { goodRows, type ReadRow } from '../kit/read-rows.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { Pagination } from './wire.ts';

const maxReads = 2;
/** Tokens expire; a list whose tokens stay invalid is an error. */
const maxRestarts = 3;

interface ListPage<T> {
  items: ReadRow<T>[];
  pagination: z.output<typeof Pagination>;
}

type ReadPage<T> = (continuation: string | undefined) => Promise<ListPage<T>>;

/**
 * @returns the good rows, once each, the number received, and the number of those that the platform counts and did not return in two reads
 * @throws UpstreamError also if a page is repeated, or if the continuation tokens stay invalid
 */
export async function readList<T>(readPage: ReadPage<T>) {
  const rows = new Map<string, ReadRow<T>>();
  for (let reads = 0, restarts = 0; ; ) {
    const counted = await readOnce(readPage, rows);
    if (counted === 'invalid-token') restarts += 1;
    else {
      reads += 1;
      const missing = Math.max(0, counted - rows.size);
      if (missing === 0 || reads === maxReads)
        return { items: goodRows([...rows.values()]), received: rows.size, missing };
    }
    if (restarts > maxRestarts) throw tokensInvalid();
  }
}

/** Adds the rows of all pages to `rows`. @returns the number that the platform counts */
async function readOnce<T>(readPage: ReadPage<T>, rows: Map<string, ReadRow<T>>): Promise<number | 'invalid-token'> {
  const seen = new Set<string>();
  let continuation: string | undefined;
  let counted = 0;
  do {
    const page = await orInvalidToken(readPage(continuation));
    if (page === 'invalid-token') return page;
    const { items, pagination } = page;
    if (items.length > 0 && items.every(({ id }) => seen.has(id))) throw repeatedPage();
    for (const row of items) {
      seen.add(row.id);
      rows.set(row.id, row);
    }
    counted = pagination.object_count ?? 0;
    continuation = pagination.has_more_items ? pagination.continuation : undefined;
  } while (continuation !== undefined);
  return counted;
}

async function orInvalidToken<T>(page: Promise<T>): Promise<T | 'invalid-token'> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.code === invalidToken) return 'invalid-token';
    throw error;
  }
}

const invalidToken = 'BAD_CONTINUATION_TOKEN';

const tokensInvalid = (): UpstreamError =>
  new UpstreamError('upstream-failed', 'The events platform rejects its own continuation tokens.', {
    kind: 'incomplete',
    system: 'events',
    code: invalidToken,
  });

const repeatedPage = (): UpstreamError =>
  new UpstreamError('upstream-failed', 'The events platform returned the same page of a list twice.', {
    kind: 'incomplete',
    system: 'events',
  });
