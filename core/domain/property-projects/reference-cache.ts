/**
 * Reads the property-project system's reference data through a cache: a fresh copy, else a revalidated one, else, while
 * the system is down, the stale one. Copies are stored in PostgreSQL, shared by all processes and kept over restarts;
 * each process also keeps recent ones in memory.
 */

import { eq, lt, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { callContext, withCallContext } from '../../integrations/kit/call-context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { type Reference, referenceSchemas } from '../../integrations/property-projects/reference.ts';
import {
  type PropertyProjects,
  type ReferenceQuery,
  referencePageSize,
} from '../../integrations/property-projects/system.ts';
import type { Database } from '../../postgres/client.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { projectReferenceTable as table } from './schema.ts';

export interface ReferenceAnswer {
  items: Reference[];
  /** When the system last confirmed the items. */
  checkedAt: Date;
  /** True if the system is down and the items may be outdated. */
  isStale: boolean;
}

interface CachedPage {
  etag: string | null;
  items: Reference[];
}

interface CachedCollection {
  pages: CachedPage[];
  /** When the system last confirmed the pages. */
  checkedAt: Date;
}

interface LatestCopy {
  copy: CachedCollection;
  isStale: boolean;
}

/** Maximum age of the data that is returned while the system is down. */
const staleDays = 7;
/** In-memory copies per process. */
const maxCopies = 1_000;

export type ReferenceCache = ReturnType<typeof createReferenceCache>;

export function createReferenceCache(client: PropertyProjects, database: Database) {
  const { PROPERTY_PROJECTS_FRESH_SECONDS: freshSeconds, PROPERTY_PROJECTS_URL: url } = client.config;
  const rows = createReferenceRepository(database);
  const copies = new LRUCache<string, CachedCollection>({ max: maxCopies });
  const renewals = new Map<string, Promise<LatestCopy>>();

  /** Concurrent callers share one renewal. It has a call context of its own: no caller's disconnect ends it. */
  function renewOnce(query: ReferenceQuery, source: string): Promise<LatestCopy> {
    const running = renewals.get(source);
    if (running) return running;
    const renewal = withCallContext({ priority: 'interactive' }, () => renew({ client, rows }, query, source)).finally(
      () => renewals.delete(source),
    );
    renewals.set(source, renewal);
    return renewal;
  }

  return {
    freshSeconds,

    /**
     * @throws ServiceError not-found if the row or project does not exist
     * @throws UpstreamError if the system is down and there is no usable copy
     */
    async read(query: ReferenceQuery): Promise<ReferenceAnswer> {
      if (client.sandbox) callContext().sandboxes.add('property-projects');
      const source = `${url}${query.path}`;
      const known = copies.get(source);
      const { copy, isStale } =
        known && isYounger(known, freshSeconds)
          ? { copy: known, isStale: false }
          : await renewOnce(query, source).catch(throwNotFound);
      copies.set(source, copy);
      return { items: copy.pages.flatMap(({ items }) => items), checkedAt: copy.checkedAt, isStale };
    },
  };
}

function throwNotFound(error: unknown): never {
  if (error instanceof UpstreamError && error.failure.status === 404)
    throw new ServiceError('not-found', 'The property-project system does not have this record.', {
      cause: error,
    });
  throw error;
}

/** Returns the stored copy while it is fresh, else a revalidated one; while the system is down the stale one. */
async function renew(
  { client, rows }: { client: PropertyProjects; rows: ReferenceRepository },
  query: ReferenceQuery,
  source: string,
): Promise<LatestCopy> {
  const { PROPERTY_PROJECTS_FRESH_SECONDS: freshSeconds } = client.config;
  const row = await rows.find(source);
  // A copy that another version of the service stored in another shape is ignored.
  const Page = z.object({ etag: z.string().nullable(), items: z.array(referenceSchemas[query.name]) });
  const pages = z.array(Page).safeParse(row?.pages);
  const known = row && pages.success ? { pages: pages.data, checkedAt: row.checkedAt } : undefined;
  if (known && isYounger(known, freshSeconds)) return { copy: known, isStale: false };
  try {
    const copy = await revalidate(client, query, known);
    if (copy.pages === known?.pages) await rows.confirm(source, copy.checkedAt);
    else await rows.put(source, copy);
    return { copy, isStale: false };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.failure.status === 404) await rows.delete(source);
    else if (known && isYounger(known, staleDays * 86_400)) return { copy: known, isStale: true };
    throw error;
  }
}

const isYounger = ({ checkedAt }: { checkedAt: Date }, seconds: number): boolean =>
  Date.now() - checkedAt.getTime() < seconds * 1_000;

/** Timeout of a page if there is a stale copy to fall back to. */
const timeoutWithCopyMs = 3_000;
/** Bound for a system that returns endless pages. */
const maxPages = 1_000;

/** Reads all pages by entity tag. @returns the identical `pages` array if nothing has changed */
async function revalidate(
  client: PropertyProjects,
  query: ReferenceQuery,
  known: CachedCollection | undefined,
): Promise<CachedCollection> {
  const checkedAt = new Date();
  const pages: CachedPage[] = [];
  let count = known?.pages.length ?? 1;
  for (let number = 1; number <= Math.min(count, maxPages); number += 1) {
    const before = known?.pages[number - 1];
    const page = await client.referencePage(query, number, {
      etag: before?.etag ?? undefined,
      ...(known && { timeoutMs: timeoutWithCopyMs }),
    });
    if (page) count = Math.max(1, Math.ceil(page.total / referencePageSize));
    pages.push(page ? { etag: page.etag ?? null, items: page.items } : (before ?? { etag: null, items: [] }));
  }
  const isUnchanged = known?.pages.length === pages.length && pages.every((page, index) => page === known.pages[index]);
  return { pages: isUnchanged ? known.pages : pages, checkedAt };
}

type StoredReference = Pick<typeof table.$inferSelect, 'pages' | 'checkedAt'>;

export type ReferenceRepository = ReturnType<typeof createReferenceRepository>;

export function createReferenceRepository(database: Database) {
  return {
    find: async (source: string): Promise<StoredReference | undefined> =>
      (await database.select().from(table).where(eq(table.source, source)))[0],

    /** Does not replace a copy that was checked later; deletes all outdated copies. */
    async put(source: string, { pages, checkedAt }: StoredReference): Promise<void> {
      await database
        .insert(table)
        .values({ source, pages, checkedAt })
        .onConflictDoUpdate({
          target: table.source,
          set: { pages, checkedAt },
          setWhere: lt(table.checkedAt, checkedAt),
        });
      await database.delete(table).where(lt(table.checkedAt, sql`now() - ${staleDays} * interval '1 day'`));
    },

    /** The system confirmed the stored copy. */
    async confirm(source: string, checkedAt: Date): Promise<void> {
      await database.update(table).set({ checkedAt }).where(eq(table.source, source));
    },

    async delete(source: string): Promise<void> {
      await database.delete(table).where(eq(table.source, source));
    },
  };
}
