/** Paging of lists: `limit`, an opaque `cursor`, and the `Link` header to the next page (RFC 8288). */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalidInput } from '../../core/runtime/errors.ts';
import { parseJson } from '../../core/values/parse-json.ts';
import { queryNumber } from './input-fields.ts';
import { type Answer, type Call, ok } from './operation.ts';

export const ListQuery = z.object({
  limit: queryNumber(1, 200).default(50).describe('Items per page, 1 to 200.'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the previous page.'),
});

export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).describe('The items of the page.'),
    nextCursor: z.string().nullable().describe('`cursor` of the next page; null on the last one.'),
  });

export const encodeCursor = (position: Record<string, string>): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** @throws ServiceError invalid-input when the cursor is not from this list */
export function decodeCursor<T extends z.ZodType>(cursor: string, schema: T): z.output<T> {
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (parsed.success) return parsed.data;
  throw invalidInput(
    [{ pointer: '/cursor', detail: 'must be the nextCursor of the previous page', in: 'query' }],
    'The cursor is not valid for this list.',
  );
}

/** The first `limit` of `limit + 1` rows, and the cursor of the next page. */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  positionOf: (last: T) => Record<string, string>,
): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}

/** The `Link` header; empty on the last page. */
export function nextLink(
  request: Pick<FastifyRequest, 'originalUrl'>,
  nextCursor: string | null,
): Record<string, string> {
  if (nextCursor === null) return {};
  const [path = '', query] = request.originalUrl.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return { link: `<${path}?${parameters}>; rel="next"` };
}

/** Lists that vendor systems page by offset. */
const OffsetCursor = z.object({ offset: z.string().regex(/^\d{1,9}$/) });

export const offsetPageSchema = <Item extends z.ZodType>(item: Item) =>
  pageSchema(item).extend({
    total: z
      .int()
      .describe('Number of items on all pages.')
      .meta({ examples: [1] }),
  });

/**
 * @param read `total` is infinite when the vendor does not return one and more items follow
 * @throws ServiceError invalid-input
 */
export async function offsetPage(
  { limit, cursor }: z.output<typeof ListQuery>,
  { request }: Call,
  read: (range: { offset: number; limit: number }) => Promise<{ items: readonly object[]; total: number }>,
): Promise<Answer> {
  const offset = cursor === undefined ? 0 : Number(decodeCursor(cursor, OffsetCursor).offset);
  const page = await read({ offset, limit });
  const reached = offset + limit;
  const nextCursor = reached < page.total ? encodeCursor({ offset: String(reached) }) : null;
  const total = Number.isFinite(page.total) ? page.total : reached + 1;
  return ok({ items: page.items, nextCursor, total }, nextLink(request, nextCursor));
}
