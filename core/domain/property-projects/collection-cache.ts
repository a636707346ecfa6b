/** The copies of one collection of reference data: of its pages, its single rows, or the units of each project. */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { withCallContext } from '../../integrations/kit/call-context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import type { Reference, ReferenceName } from '../../integrations/property-projects/reference.ts';
import {
  type PropertyProjects,
  type ReferenceQuery,
  referencePageSize,
} from '../../integrations/property-projects/system.ts';
import type { ReferenceRepository } from './repository.ts';

export interface CollectionCache<N extends ReferenceName> {
  /** @throws UpstreamError when the system fails and no copy is to be had, or when there is no such row */
  latest(query: ReferenceQuery<N>): Promise<LatestCopy<Reference<N>>>;
}

interface LatestCopy<Row> {
  copy: CachedCollection<Row>;
  isStale: boolean;
}

interface CopyParts {
  client: PropertyProjects;
  rows: ReferenceRepository;
}

/** Copies that a process holds of each collection. */
const heldCopies = 200;

export function createCollectionCache<N extends ReferenceName>(
  schema: z.ZodType<Reference<N>>,
  { client, rows }: CopyParts,
): CollectionCache<N> {
  type Row = Reference<N>;
  const {
    PROPERTY_PROJECTS_FRESH_SECONDS: freshSeconds,
    PROPERTY_PROJECTS_STALE_HOURS: staleHours,
    PROPERTY_PROJECTS_URL: url,
  } = client.config;
  const StoredPages = z.array(z.object({ etag: z.string().nullable(), items: z.array(schema) }));
  const held = new LRUCache<string, CachedCollection<Row>>({ max: heldCopies });
  const underWay = new Map<string, Promise<LatestCopy<Row>>>();

  const isYounger = ({ checkedAt }: CachedCollection<Row>, seconds: number): boolean =>
    Date.now() - checkedAt.getTime() < seconds * 1_000;

  /** What an earlier version of the service stored in another shape counts as none. */
  async function stored(source: string): Promise<CachedCollection<Row> | undefined> {
    const row = await rows.find(source);
    const pages = StoredPages.safeParse(row?.pages);
    return row && pages.success ? { pages: pages.data, checkedAt: row.checkedAt } : undefined;
  }

  async function renew(query: ReferenceQuery<N>, source: string): Promise<LatestCopy<Row>> {
    const known = await stored(source);
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

  /** In a scope of its own: none of those who wait for it ends it by hanging up. */
  function renewOnce(query: ReferenceQuery<N>, source: string): Promise<LatestCopy<Row>> {
    const running = underWay.get(source);
    if (running) return running;
    const renewal = withCallContext({ priority: 'interactive' }, () => renew(query, source)).finally(() =>
      underWay.delete(source),
    );
    underWay.set(source, renewal);
    return renewal;
  }

  return {
    async latest(query) {
      const source = `${url}${query.path}`;
      const known = held.get(source);
      if (known && isYounger(known, freshSeconds)) return { copy: known, isStale: false };
      const latest = await renewOnce(query, source);
      held.set(source, latest.copy);
      return latest;
    },
  };
}

interface CopiedPage<Row> {
  etag: string | null;
  items: Row[];
}

export interface CachedCollection<Row> {
  pages: CopiedPage<Row>[];
  /** When the system last said that this is how it is. */
  checkedAt: Date;
}

/** Who has a copy to answer with does not wait long for the system. */
const patienceWithCopyMs = 3_000;
/** A system that goes on for ever is cut off here. */
const mostPages = 1_000;

/** @returns the same pages, and not equal ones, when nothing has changed */
export async function revalidate<N extends ReferenceName>(
  client: PropertyProjects,
  query: ReferenceQuery<N>,
  known: CachedCollection<Reference<N>> | undefined,
): Promise<CachedCollection<Reference<N>>> {
  const checkedAt = new Date();
  const pages: CopiedPage<Reference<N>>[] = [];
  let count = known?.pages.length ?? 1;
  for (let number = 1; number <= Math.min(count, mostPages); number += 1) {
    const before = known?.pages[number - 1];
    const page = await client.referencePage(query, number, {
      etag: before?.etag ?? undefined,
      ...(known && { timeoutMs: patienceWithCopyMs }),
    });
    if (page) count = Math.max(1, Math.ceil(page.total / referencePageSize));
    pages.push(page ? { etag: page.etag ?? null, items: page.items } : (before ?? { etag: null, items: [] }));
  }
  const isUnchanged =
    known?.pages.length === pages.length && pages.every((page, index) => page === known.pages[index]);
  return { pages: isUnchanged ? known.pages : pages, checkedAt };
}
