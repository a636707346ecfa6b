/** The links that redirects need, in memory: filled at start, mended when PostgreSQL announces a change. */
import { LRUCache } from 'lru-cache';
import {
  type Destination,
  destinationsOf,
  linkChannel,
  newestDestinations,
} from '../../core/domain/links/rows.ts';
import { createBatchLoader } from '../../core/postgres/batch-loader.ts';
import type { Database } from '../../core/postgres/client.ts';
import { listen } from '../../core/postgres/listen.ts';
import type { Logger } from '../../core/telemetry/logger.ts';

/** Some 300 bytes each. */
const mostLinks = 200_000;
/** Slugs that are no link's, so that a stranger who tries many does not ask PostgreSQL each time for the same. */
const mostUnknown = 10_000;
/** For a pooler between us and PostgreSQL that swallows announcements. */
const longestMs = 600_000;
const longestUnknownMs = 10_000;

export interface LinkCache {
  /** Undefined for a slug without a link. Answers without a promise when it knows. */
  find(slugKey: string): Destination | undefined | Promise<Destination | undefined>;
  /** A link that is in memory and has not expired. */
  peek(slugKey: string): Destination | undefined;
  /** Resolves once the newest links are in memory. */
  warm: Promise<void>;
  close(): Promise<void>;
}

export function openLinkCache(database: Database, databaseUrl: string, logger: Logger): LinkCache {
  const known = new LRUCache<string, Destination>({ max: mostLinks, ttl: longestMs, ttlResolution: 1_000 });
  const unknown = new LRUCache<string, true>({ max: mostUnknown, ttl: longestUnknownMs });
  const lookUp = createBatchLoader<Destination>(keys => destinationsOf(database, keys));
  /** Counts what was forgotten: an answer that was asked for before is too old to be kept. */
  let changes = 0;
  let closed = false;

  const load = async (slugKey: string): Promise<Destination | undefined> => {
    const asked = changes;
    const destination = await lookUp(slugKey);
    if (asked === changes) {
      if (destination) known.set(slugKey, destination);
      else unknown.set(slugKey, true);
    }
    return destination;
  };

  const fill = async (): Promise<void> => {
    const asked = changes;
    for await (const page of newestDestinations(database, mostLinks)) {
      if (closed || asked !== changes) return;
      for (const { slugKey, ...destination } of page) known.set(slugKey, destination);
    }
  };

  let markWarm: () => void = () => {};
  const warm = new Promise<void>(resolve => {
    markWarm = resolve;
  });
  const announcements = listen(
    databaseUrl,
    linkChannel,
    slugKey => {
      if (slugKey === '') unknown.clear();
      else known.delete(slugKey);
      changes++;
    },
    {
      logger,
      async onConnect() {
        changes++;
        known.clear();
        unknown.clear();
        await fill();
        markWarm();
      },
    },
  );

  return {
    find: slugKey => known.get(slugKey) ?? (unknown.has(slugKey) ? undefined : load(slugKey)),
    peek(slugKey) {
      const link = known.get(slugKey);
      return link && isLive(link) ? link : undefined;
    },
    warm,
    async close() {
      closed = true;
      await announcements.close();
    },
  };
}

export const isLive = ({ expiresAt }: Destination): boolean =>
  expiresAt === null || expiresAt.getTime() > Date.now();
