/** Paging by continuation tokens, with the faults of the settings. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';

interface PagerSettings {
  pageSize: number;
  repeatedPage: boolean;
  omittedRows: number;
  invalidTokens: number;
}

const Continuation = z.object({ continuation: z.string().optional() });

export type Pager = ReturnType<typeof createPager>;

export function createPager(settings: Readonly<PagerSettings>) {
  let omitted = 0;
  let rejected = 0;

  return {
    /** @returns undefined if the continuation token is rejected */
    cutPage<R>(all: readonly R[], query: unknown) {
      const { continuation } = Continuation.parse(query);
      const page = pageOf(continuation);
      if (page === undefined) return undefined;
      if (continuation !== undefined && rejected < settings.invalidTokens) {
        rejected += 1;
        return undefined;
      }
      const from = (settings.repeatedPage ? 0 : page) * settings.pageSize;
      const rows = all.slice(from, from + settings.pageSize);
      if (rows.length > 0 && omitted < settings.omittedRows) {
        omitted += 1;
        rows.pop();
      }
      return { rows, pagination: pagination(all.length, page + 1, settings.pageSize) };
    },
    reset() {
      omitted = 0;
      rejected = 0;
    },
  };
}

export const rejectContinuation = (reply: FastifyReply) =>
  reply.code(400).send({
    status_code: 400,
    error: 'BAD_CONTINUATION_TOKEN',
    error_description: 'The continuation token is invalid.',
  });

function pagination(count: number, page: number, size: number) {
  const pages = Math.max(1, Math.ceil(count / size));
  return {
    object_count: count,
    page_number: page,
    page_size: size,
    page_count: pages,
    has_more_items: page < pages,
    // The last page has a token, too.
    continuation: Buffer.from(JSON.stringify({ page })).toString('base64url'),
  };
}

/** The page number from 0; undefined for an invalid token. */
function pageOf(continuation: string | undefined): number | undefined {
  if (continuation === undefined) return 0;
  try {
    return z.object({ page: z.int().min(1) }).parse(JSON.parse(Buffer.from(continuation, 'base64url').toString())).page;
  } catch {
    return undefined;
  }
}
