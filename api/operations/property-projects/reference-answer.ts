/** Answers with cached reference data: ETag, `Age`, and `Warning` when the data is stale. */
import { z } from 'zod';
import {
  createReferenceCache,
  type ReferenceAnswer,
  type ReferenceCache,
} from '../../../core/domain/property-projects/reference-cache.ts';
import {
  type Reference,
  type ReferenceName,
  referenceSchemas,
} from '../../../core/integrations/property-projects/reference.ts';
import propertyProjects, {
  type CollectionName,
  oneRow,
  type PropertyProjects,
  type ReferenceQuery,
  wholeCollection,
} from '../../../core/integrations/property-projects/system.ts';
import { referencePaths } from '../../../core/integrations/property-projects/wire.ts';
import { type Answer, type Call, defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, type ListQuery, nextLink, offsetPageSchema } from '../../http/paging.ts';
import { etagOfBody, matchesEtag } from '../../http/request-headers.ts';
import type { HeaderName } from '../../http/response-headers.ts';
import type { ApiServices } from '../../services.ts';
import { filterOf, ReferenceId } from './reference-query.ts';

const Position = z.object({ name: z.string(), id: z.string() });
type Position = z.infer<typeof Position>;

const path = '/apps/property-projects/v1';
const cached =
  'Cached for some minutes, then revalidated with the system; while the system is down, the last copy is returned.';
const headers: readonly HeaderName[] = ['ETag', 'Age', 'Warning'];

const caches = new WeakMap<PropertyProjects, ReferenceCache>();

/** The cache of this process. @throws ServiceError system-not-configured */
function referenceCache({ systems, database }: ApiServices): ReferenceCache {
  const client = propertyProjects.client(systems);
  const cache = caches.get(client) ?? createReferenceCache(client, database);
  caches.set(client, cache);
  return cache;
}

/** An operation that lists a collection, without its request and handler. */
export const referenceList = (id: string, name: ReferenceName, summary: string) => ({
  summary: `${summary} ${cached}`,
  id: `propertyProjects.${id}`,
  route: `GET ${path}${name === 'units' ? '/units' : referencePaths[name]}` as const,
  scope: 'projects:read',
  answers: {
    200: {
      description: 'A page, sorted by name.',
      schema: offsetPageSchema(referenceSchemas[name]),
      headers,
    },
    304: { description: 'The page matches `If-None-Match`.', headers },
  },
  calls: [propertyProjects],
});

/** An operation that lists a collection that is not part of a project. */
export const wholeList = (id: string, name: CollectionName, summary: string, query: typeof ListQuery) =>
  defineOperation({
    ...referenceList(id, name, summary),
    request: { query },
    handle: ({ query }, call) => answerList(wholeCollection(name), query, call),
  });

/** An operation that returns one record. */
export const referenceItem = (id: string, name: CollectionName, summary: string, exampleId: string) =>
  defineOperation({
    summary: `${summary} ${cached}`,
    id: `propertyProjects.${id}`,
    route: `GET ${path}${referencePaths[name]}/{id}`,
    scope: 'projects:read',
    request: {
      params: z.object({ id: ReferenceId.describe('Its id in the system.').meta({ examples: [exampleId] }) }),
    },
    answers: {
      200: { description: 'The record.', schema: referenceSchemas[name], headers },
      304: { description: 'The record matches `If-None-Match`.', headers },
    },
    calls: [propertyProjects],
    async handle({ params }, call) {
      const answer = await referenceCache(call.services).read(oneRow(name, params.id));
      const [row] = answer.items;
      if (row === undefined) throw new Error('the property-project system answered without a row');
      return withCacheHeaders(row, answer, call);
    },
  });

/** A page of the rows that match the query. */
export async function answerList(
  source: ReferenceQuery,
  query: z.output<typeof ListQuery>,
  call: Call,
): Promise<Answer> {
  const answer = await referenceCache(call.services).read(source);
  return answerPage({ ...answer, items: answer.items.filter(filterOf(query)) }, query, call);
}

/** The cursor is the last row's position, so that pages stay consistent when rows are added or removed. */
function answerPage(answer: ReferenceAnswer, { limit, cursor }: z.output<typeof ListQuery>, call: Call): Answer {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, Position);
  const sorted = answer.items.toSorted((one, other) => compare(positionOf(one), positionOf(other)));
  const first = after === undefined ? 0 : sorted.findIndex(row => compare(positionOf(row), after) > 0);
  const items = first < 0 ? [] : sorted.slice(first, first + limit);
  const last = items.at(-1);
  const nextCursor = last && last !== sorted.at(-1) ? encodeCursor(positionOf(last)) : null;
  const body = { items, nextCursor, total: sorted.length };
  return withCacheHeaders(body, answer, call, nextLink(call.request, nextCursor));
}

/** Lists are sorted by name; units, which have none, by number. */
const positionOf = (row: Reference): Position => ({ name: ('name' in row ? row.name : row.number) ?? '', id: row.id });
const collator = new Intl.Collator('en', { numeric: true });
const compare = (one: Position, other: Position): number =>
  collator.compare(one.name, other.name) || collator.compare(one.id, other.id);

function withCacheHeaders(
  body: object,
  { checkedAt, isStale }: ReferenceAnswer,
  { request, services }: Call,
  extra: Record<string, string> = {},
): Answer {
  const etag = etagOfBody(body);
  const age = Math.max(0, Math.floor((Date.now() - checkedAt.getTime()) / 1_000));
  const headers = {
    ...extra,
    etag,
    age: String(age),
    'cache-control': `private, max-age=${referenceCache(services).freshSeconds}`,
    // RFC 7234 section 5.5; removed by RFC 9111, but clients still understand it.
    ...(isStale && { warning: '110 - "Response is Stale"' }),
  };
  if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers };
  return { status: 200, headers, body };
}
