/** Answers from the copies of the property-project system's reference data: tagged, with their age, stale ones marked. */
import { z } from 'zod';
import {
  createReferenceCache,
  type ReferenceAnswer,
  type ReferenceCache,
} from '../../../core/domain/property-projects/reference-cache.ts';
import type { PropertyProjects } from '../../../core/integrations/property-projects/system.ts';
import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { etagOfBody, matchesEtag } from '../../http/etag.ts';
import type { Answer, AnswerDescription, Call } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, type ListQuery, nextLink } from '../../http/paging.ts';
import type { ApiServices } from '../../services.ts';

const opened = new WeakMap<PropertyProjects, ReferenceCache>();

/** Those of this process. @throws ServiceError system-not-configured */
export function referenceCopies({ systems, database }: ApiServices): ReferenceCache {
  const client = propertyProjects.client(systems);
  const copies = opened.get(client) ?? createReferenceCache(client, database);
  opened.set(client, copies);
  return copies;
}

const told =
  '`Age` is the time in seconds since the system confirmed it; `Warning: 110` says that the system is down and this may have changed.';

export const referencePage = (item: z.ZodType): Record<number, AnswerDescription> => ({
  200: {
    description: `A page, by name. ${told}`,
    schema: z.object({
      items: z.array(item),
      nextCursor: z.string().nullable(),
      total: z
        .int()
        .describe('How many there are on all pages.')
        .meta({ examples: [1] }),
    }),
  },
  304: { description: 'The page is the one of `If-None-Match`.' },
});

export const referenceItem = (item: z.ZodType): Record<number, AnswerDescription> => ({
  200: { description: `The record. ${told}`, schema: item },
  304: { description: 'The record is the one of `If-None-Match`.' },
});

interface Row {
  id: string;
  /** By which lists are sorted. */
  name?: string;
  number?: string | null;
}

const Position = z.object({ name: z.string(), id: z.string() });

/** The rows after the cursor's, so that pages hold together although rows come and go. */
export function answerPage<R extends Row>(
  answer: ReferenceAnswer<R>,
  { limit, cursor }: z.output<typeof ListQuery>,
  call: Call,
): Answer {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, Position);
  const sorted = answer.items.toSorted((one, other) => compare(positionOf(one), positionOf(other)));
  const first = after === undefined ? 0 : sorted.findIndex(row => compare(positionOf(row), after) > 0);
  const items = first < 0 ? [] : sorted.slice(first, first + limit);
  const last = items.at(-1);
  const nextCursor = last && last !== sorted.at(-1) ? encodeCursor(positionOf(last)) : null;
  const body = { items, nextCursor, total: sorted.length };
  return tagged(body, answer, call, nextLink(call.request, nextCursor));
}

/** Of a query for one row. */
export function answerItem<R extends Row>(answer: ReferenceAnswer<R>, call: Call): Answer {
  const [item] = answer.items;
  if (item === undefined) throw new Error('the property-project system answered one row with none');
  return tagged(item, answer, call);
}

type Position = { name: string; id: string };

const positionOf = ({ id, name, number }: Row): Position => ({ name: name ?? number ?? '', id });
const byName = new Intl.Collator('en', { numeric: true });
const compare = (one: Position, other: Position): number =>
  byName.compare(one.name, other.name) || byName.compare(one.id, other.id);

function tagged<R>(
  body: object,
  { checkedAt, isStale }: ReferenceAnswer<R>,
  { request, services }: Call,
  more: Record<string, string> = {},
): Answer {
  const etag = etagOfBody(body);
  const age = Math.max(0, Math.floor((Date.now() - checkedAt.getTime()) / 1_000));
  const headers = {
    ...more,
    etag,
    age: String(age),
    'cache-control': `private, max-age=${referenceCopies(services).freshSeconds}`,
    // Not in RFC 9111 any more, but still what tells people and programs.
    ...(isStale && { warning: '110 - "Response is Stale"' }),
  };
  if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers };
  return { status: 200, headers, body };
}
