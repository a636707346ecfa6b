/** Pages of lists that are read by position, as outside systems give theirs. */
import { z } from 'zod';
import type { Answer, Call } from './operation.ts';
import { decodeCursor, encodeCursor, nextLink } from './paging.ts';

const OffsetCursor = z.object({ offset: z.string().regex(/^\d{1,9}$/) });

export interface OffsetRange {
  offset: number;
  limit: number;
}

/** @throws ServiceError invalid-input */
export const rangeOf = ({ limit, cursor }: { limit: number; cursor?: string | undefined }): OffsetRange => ({
  offset: cursor === undefined ? 0 : Number(decodeCursor(cursor, OffsetCursor).offset),
  limit,
});

export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().nullable(),
    total: z
      .int()
      .describe('How many there are on all pages.')
      .meta({ examples: [1] }),
  });

/** @param total how many there are; infinite when the system does not tell and there are more */
export function offsetPage(
  page: { items: readonly object[]; total: number },
  { offset, limit }: OffsetRange,
  { request }: Call,
): Answer {
  const reached = offset + limit;
  const nextCursor = reached < page.total ? encodeCursor({ offset: String(reached) }) : null;
  const total = Number.isFinite(page.total) ? page.total : reached + 1;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store', ...nextLink(request, nextCursor) },
    body: { items: page.items, nextCursor, total },
  };
}
