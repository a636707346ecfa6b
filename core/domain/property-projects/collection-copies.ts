/** The copies of one collection of reference data: of its pages, its single rows, or the units of each project. */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { inCallScope } from '../../integrations/kit/call-context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import type { PropertyProjects } from '../../integrations/property-projects/client.ts';
import type { Reference, ReferenceName } from '../../integrations/property-projects/reference.ts';
import type { ReferenceQuery } from '../../integrations/property-projects/reference-query.ts';
import type { ProjectReferenceRows } from './copies.ts';
import { type Copy, readAgain } from './read-again.ts';

export interface CollectionCopies<N extends ReferenceName> {
  /** @throws UpstreamError when the system fails and no copy is to be had, or when there is no such row */
  latest(query: ReferenceQuery<N>): Promise<LatestCopy<Reference<N>>>;
}

interface LatestCopy<Row> {
  copy: Copy<Row>;
  isStale: boolean;
}

interface CopyParts {
  client: PropertyProjects;
  rows: ProjectReferenceRows;
}

/** Copies that a process holds of each collection. */
const heldCopies = 200;

export function openCollectionCopies<N extends ReferenceName>(
  schema: z.ZodType<Reference<N>>,
  { client, rows }: CopyParts,
): CollectionCopies<N> {
  type Row = Reference<N>;
  const {
    PROPERTY_PROJECTS_FRESH_SECONDS: freshSeconds,
    PROPERTY_PROJECTS_STALE_HOURS: staleHours,
    PROPERTY_PROJECTS_URL: url,
  } = client.config;
  const StoredPages = z.array(z.object({ etag: z.string().nullable(), items: z.array(schema) }));
  const held = new LRUCache<string, Copy<Row>>({ max: heldCopies });
  const underWay = new Map<string, Promise<LatestCopy<Row>>>();

  const isYounger = ({ checkedAt }: Copy<Row>, seconds: number): boolean =>
    Date.now() - checkedAt.getTime() < seconds * 1_000;

  /** What an earlier version of the service stored in another shape counts as none. */
  async function stored(source: string): Promise<Copy<Row> | undefined> {
    const row = await rows.find(source);
    const pages = StoredPages.safeParse(row?.pages);
    return row && pages.success ? { pages: pages.data, checkedAt: row.checkedAt } : undefined;
  }

  async function renew(query: ReferenceQuery<N>, source: string): Promise<LatestCopy<Row>> {
    const known = await stored(source);
    if (known && isYounger(known, freshSeconds)) return { copy: known, isStale: false };
    try {
      const copy = await readAgain(client, query, known);
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
    const renewal = inCallScope({ priority: 'interactive' }, () => renew(query, source)).finally(() =>
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
