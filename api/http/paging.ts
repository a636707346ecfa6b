/** Lists: `limit`, an opaque `cursor`, and the RFC 8288 link to the next page. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Answer, Call } from './operation.ts';

const limitError = 'must be a whole number from 1 to 200';

export const ListQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, limitError)
    .transform(Number)
    .pipe(z.int().min(1, limitError).max(200, limitError))
    .default(50)
    .describe('Items a page, 1 to 200.'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the page before.'),
});

export const encodeCursor = (position: Record<string, string>): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** @throws ServiceError invalid-input when it is no cursor of this list */
export function decodeCursor<T extends z.ZodType>(cursor: string, schema: T): z.output<T> {
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new ServiceError('invalid-input', 'The cursor is not one this list gave.', {
    faults: [{ pointer: '/cursor', detail: 'must be the nextCursor of the page before', in: 'query' }],
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The header that leads to the next page; none on the last. */
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
