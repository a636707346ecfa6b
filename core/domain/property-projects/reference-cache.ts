/**
 * Reads the property-project system's reference data through a cache: a fresh copy, else a revalidated one, else, while
 * the system is down, the stale one. Copies are stored in PostgreSQL, shared by all processes and kept over restarts;
 * each process also keeps recent ones in memory.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { callContext, withCallContext } from '../../integrations/kit/call-context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import {
  type Reference,
  type ReferenceName,
  referenceSchemas as schemas,
} from '../../integrations/property-projects/reference.ts';
import {
  type PropertyProjects,
  type ReferenceQuery,
  referencePageSize,
} from '../../integrations/property-projects/system.ts';
import type { Database } from '../../postgres/client.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { createReferenceRepository, type ReferenceRepository } from './repository.ts';

export interface ReferenceAnswer<Row> {
  items: Row[];
  /** When the system last confirmed the items. */
  checkedAt: Date;
  /** True if the system is down and the items may be outdated. */
  isStale: boolean;
}

export type ReferenceCache = ReturnType<typeof createReferenceCache>;

export function createReferenceCache(client: PropertyProjects, database: Database) {
  const services = { client, rows: createReferenceRepository(database) };
  const collections: { [N in ReferenceName]: CollectionCache<N> } = {
    emirates: createCollectionCache<'emirates'>(schemas.emirates, services),
    districts: createCollectionCache<'districts'>(schemas.districts, services),
    projects: createCollectionCache<'projects'>(schemas.projects, services),
    developers: createCollectionCache<'developers'>(schemas.developers, services),
    amenities: createCollectionCache<'amenities'>(schemas.amenities, services),
    unitTypes: createCollectionCache<'unitTypes'>(schemas.unitTypes, services),
    finishes: createCollectionCache<'finishes'>(schemas.finishes, services),
    unitLayouts: createCollectionCache<'unitLayouts'>(schemas.unitLayouts, services),
    units: createCollectionCache<'units'>(schemas.units, services),
  };

  return {
    freshSeconds: client.config.PROPERTY_PROJECTS_FRESH_SECONDS,

    /**
     * @throws ServiceError not-found if the row or project does not exist
     * @throws UpstreamError if the system is down and there is no usable copy
     */
    async read<N extends ReferenceName>(query: ReferenceQuery<N>): Promise<ReferenceAnswer<Reference<N>>> {
      if (client.sandbox) callContext().sandboxes.add('property-projects');
      const { copy, isStale } = await collections[query.name].latest(query).catch(throwNotFound);
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

type CollectionCache<N extends ReferenceName> = ReturnType<typeof createCollectionCache<N>>;

interface LatestCopy<Row> {
  copy: CachedCollection<Row>;
  isStale: boolean;
}

interface CachedPage<Row> {
  etag: string | null;
  items: Row[];
}

interface CachedCollection<Row> {
  pages: CachedPage<Row>[];
  /** When the system last confirmed the pages. */
  checkedAt: Date;
}

interface CacheServices {
  client: PropertyProjects;
  rows: ReferenceRepository;
}

/** In-memory copies per process and collection. */
const maxCopies = 200;

function createCollectionCache<N extends ReferenceName>(schema: z.ZodType<Reference<N>>, services: CacheServices) {
  const { PROPERTY_PROJECTS_FRESH_SECONDS: freshSeconds, PROPERTY_PROJECTS_URL: url } = services.client.config;
  const pagesSchema = z.array(z.object({ etag: z.string().nullable(), items: z.array(schema) }));
  const copies = new LRUCache<string, CachedCollection<Reference<N>>>({ max: maxCopies });
  const renewals = new Map<string, Promise<LatestCopy<Reference<N>>>>();

  /** Concurrent callers share one renewal. It has a call context of its own: no caller's disconnect ends it. */
  function renewOnce(query: ReferenceQuery<N>, source: string): Promise<LatestCopy<Reference<N>>> {
    const running = renewals.get(source);
    if (running) return running;
    const renewal = withCallContext({ priority: 'interactive' }, () =>
      renew(services, query, source, pagesSchema),
    ).finally(() => renewals.delete(source));
    renewals.set(source, renewal);
    return renewal;
  }

  return {
    /** @throws UpstreamError if the system fails and there is no usable copy, or if the row does not exist */
    async latest(query: ReferenceQuery<N>): Promise<LatestCopy<Reference<N>>> {
      const source = `${url}${query.path}`;
      const known = copies.get(source);
      if (known && isYounger(known, freshSeconds)) return { copy: known, isStale: false };
      const latest = await renewOnce(query, source);
      copies.set(source, latest.copy);
      return latest;
    },
  };
}

/** Returns the stored copy while it is fresh, else a revalidated one; while the system is down the stale one. */
async function renew<N extends ReferenceName>(
  { client, rows }: CacheServices,
  query: ReferenceQuery<N>,
  source: string,
  pagesSchema: z.ZodType<CachedPage<Reference<N>>[]>,
): Promise<LatestCopy<Reference<N>>> {
  const { PROPERTY_PROJECTS_FRESH_SECONDS: freshSeconds, PROPERTY_PROJECTS_STALE_HOURS: staleHours } = client.config;
  const row = await rows.find(source);
  // A copy that another version of the service stored in another shape is ignored.
  const pages = pagesSchema.safeParse(row?.pages);
  const known = row && pages.success ? { pages: pages.data, checkedAt: row.checkedAt } : undefined;
  if (known && isYounger(known, freshSeconds)) return { copy: known, isStale: false };
  try {
    const copy = await revalidate(client, query, known);
    if (copy.pages === known?.pages) await rows.confirm(source, copy.checkedAt);
    else await rows.put(source, copy, Math.max(staleHours, 1));
    return { copy, isStale: false };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.failure.status === 404) await rows.delete(source);
    else if (known && isYounger(known, staleHours * 3_600)) return { copy: known, isStale: true };
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
async function revalidate<N extends ReferenceName>(
  client: PropertyProjects,
  query: ReferenceQuery<N>,
  known: CachedCollection<Reference<N>> | undefined,
): Promise<CachedCollection<Reference<N>>> {
  const checkedAt = new Date();
  const pages: CachedPage<Reference<N>>[] = [];
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
