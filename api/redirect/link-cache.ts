/** In-memory cache of redirect targets: filled at start, invalidated by PostgreSQL notifications. */
import { LRUCache } from 'lru-cache';
import { type Destination, destinationsOf, linkChannel, newestDestinations } from '../../core/domain/links/rows.ts';
import { createBatchLoader } from '../../core/postgres/batch-loader.ts';
import type { Database } from '../../core/postgres/client.ts';
import { listen } from '../../core/postgres/listen.ts';
import type { Logger } from '../../core/telemetry/logger.ts';

/** About 300 bytes each. */
const maxLinks = 200_000;
/** Unknown slugs: repeated guesses do not query PostgreSQL again. */
const maxUnknown = 10_000;
/** Bounds staleness when notifications are lost. */
const linkTtlMs = 600_000;
const unknownTtlMs = 10_000;

export const isLive = ({ expiresAt }: Destination): boolean => expiresAt === null || expiresAt.getTime() > Date.now();

export function openLinkCache(database: Database, logger: Logger) {
  const entries = createEntries(database);
  let closed = false;
  let markWarm: () => void = () => {};
  const warm = new Promise<void>(resolve => {
    markWarm = resolve;
  });
  const notifications = listen(database.directUrl, linkChannel, entries.invalidate, {
    logger,
    async onConnect() {
      entries.clear();
      await entries.fill(() => closed);
      markWarm();
    },
  });
  return {
    /** Undefined for an unknown slug. Returns a promise only for an uncached slug. */
    find: entries.find,
    /** The cached link if it has not expired; undefined also for a link that is not cached. */
    peek(slugKey: string): Destination | undefined {
      const link = entries.cached(slugKey);
      return link && isLive(link) ? link : undefined;
    },
    /** Resolves when the newest links are cached. */
    warm,
    async close(): Promise<void> {
      closed = true;
      await notifications.close();
    },
  };
}

function createEntries(database: Database) {
  const known = new LRUCache<string, Destination>({
    // Not `max`, which reserves the memory of all entries (20 ms and 10 MB of the start).
    maxSize: maxLinks,
    sizeCalculation: () => 1,
    ttl: linkTtlMs,
    ttlResolution: 1_000,
  });
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownTtlMs });
  const lookUp = createBatchLoader<Destination>(keys => destinationsOf(database, keys));
  /** Counts invalidations: the result of a query that began before one may be stale and is not cached. */
  let version = 0;

  const load = async (slugKey: string): Promise<Destination | undefined> => {
    const before = version;
    const destination = await lookUp(slugKey);
    if (before === version) {
      if (destination) known.set(slugKey, destination);
      else unknown.set(slugKey, true);
    }
    return destination;
  };

  return {
    cached: (slugKey: string): Destination | undefined => known.get(slugKey),
    find: (slugKey: string): Destination | undefined | Promise<Destination | undefined> =>
      known.get(slugKey) ?? (unknown.has(slugKey) ? undefined : load(slugKey)),
    async fill(isClosed: () => boolean): Promise<void> {
      const before = version;
      for await (const page of newestDestinations(database, maxLinks)) {
        if (isClosed() || before !== version) return;
        for (const { slugKey, ...destination } of page) known.set(slugKey, destination);
      }
    },
    /** @param slugKey '' for new links */
    invalidate(slugKey: string): void {
      if (slugKey === '') unknown.clear();
      else known.delete(slugKey);
      version++;
    },
    clear(): void {
      version++;
      known.clear();
      unknown.clear();
    },
  };
}
