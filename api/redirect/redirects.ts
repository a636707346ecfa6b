/** What the redirect stands on: the links in memory, and the clicks that are counted beside it. */

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { visitorSalts } from '../../core/domain/links/clicks.ts';
import { type FindCountry, type LinksConfig, openCountries } from '../../core/domain/links/country.ts';
import { isPrefetch, readUserAgent, referrerHost } from '../../core/domain/links/request-headers.ts';
import { type Destination, destinationsOf } from '../../core/domain/links/rows.ts';
import { slugsMeant } from '../../core/domain/links/slug.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import { ClickLog } from './click-log.ts';
import { isLive, type LinkCache, openLinkCache } from './link-cache.ts';

/** Who opens a link: its address is used and forgotten. */
export interface Caller {
  address: string;
  headers: IncomingHttpHeaders;
}

export interface Redirects {
  find: LinkCache['find'];
  /** A link that is in memory and good, without further ado; undefined says nothing. */
  peek: LinkCache['peek'];
  /** Resolves once the newest links are in memory; until then they are looked up. */
  warm: Promise<void>;
  /** The link that a mistyped slug was meant to be, if there is just one. */
  meant(slug: string): Promise<string | undefined>;
  /** Resolves when the click outlives this process. */
  click(linkId: string, caller: Caller, scanned: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface RedirectParts {
  database: Database;
  databaseUrl: string;
  logger: Logger;
  config: LinksConfig & { DATA_DIR: string };
}

export function openRedirects({ database, databaseUrl, logger, config }: RedirectParts): Redirects {
  const links = openLinkCache(database, databaseUrl, logger);
  const visitors = openVisitors(database, logger);
  const clicks = new ClickLog({ database, folder: path.resolve(config.DATA_DIR, 'clicks'), logger });
  let countryOf: FindCountry | undefined;
  const ready = Promise.all([openCountries(config), visitors.ready]).then(([opened]) => {
    countryOf = opened;
  });
  ready.catch(error =>
    logger.error({ err: error }, 'the country database cannot be read; clicks have no country'),
  );

  return {
    find: links.find,
    peek: links.peek,
    warm: links.warm,
    async meant(slug) {
      const candidates = slugsMeant(slug);
      const known =
        candidates.length > 0 ? await destinationsOf(database, candidates) : new Map<string, Destination>();
      const live = [...known].filter(([, link]) => isLive(link));
      return live.length === 1 ? live[0]?.[0] : undefined;
    },
    async click(linkId, { address, headers }, scanned) {
      if (!countryOf) await ready.catch(() => undefined);
      const at = Date.now();
      const userAgent = headers['user-agent'] ?? '';
      const { class: said, device, browser } = readUserAgent(userAgent);
      await clicks.add({
        linkId,
        at,
        class: said === 'human' && isPrefetch(headers) ? 'prefetch' : said,
        scanned,
        visitor: visitors.numberOf(address, userAgent, at),
        country: countryOf?.(address, headers) ?? null,
        referrer: referrerHost(headers.referer),
        device,
        browser,
      });
    },
    async close() {
      visitors.close();
      await links.close();
      await clicks.close();
    },
  };
}

/** What every redirect says besides its target. */
export const redirectHeaders = {
  // So that each click is counted.
  'cache-control': 'private, no-store',
  // The target learns no more than the host of the page that the link was on.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-robots-tag': 'noindex',
};

const dayMs = 86_400_000;
const renewEveryMs = 60_000;

export interface Visitors {
  /** A UUID that is the same for one address and browser on one day (UTC); null while no secret can be had. */
  numberOf(address: string, userAgent: string, at: number): string | null;
  /** Resolves once the first secret was asked for. */
  ready: Promise<void>;
  close(): void;
}

export function openVisitors(database: Database, logger: Logger): Visitors {
  let salts = new Map<string, string>();
  const renew = async (): Promise<void> => {
    const now = Date.now();
    // Tomorrow's too, so that the day can change while PostgreSQL is away.
    const days = [dayOf(now), dayOf(now + dayMs)];
    try {
      salts = await visitorSalts(database, days, dayOf(now - dayMs));
    } catch (error) {
      logger.warn({ err: error }, 'the secrets that visitors are made of could not be read; tried again');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  return {
    ready: renew(),
    numberOf(address, userAgent, at) {
      const salt = salts.get(dayOf(at));
      if (!salt) return null;
      // A keyed hash: the salt is 256 random bits, and of the hash only half is told, so nothing can be appended to it.
      const hex = hash('sha256', `${salt}\n${address}\n${userAgent}`);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    },
    close: () => clearInterval(timer),
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
