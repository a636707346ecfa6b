/** Redirects of short links: links in memory, click counting, and pseudonymous visitor ids. */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { visitorSalts } from '../../core/domain/links/clicks.ts';
import { type FindCountry, type LinksConfig, openCountries } from '../../core/domain/links/country.ts';
import { isPrefetch, readUserAgent, referrerHost } from '../../core/domain/links/request-headers.ts';
import { type Destination, destinationsOf } from '../../core/domain/links/rows.ts';
import { correctedSlugs } from '../../core/domain/links/slug.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import { ClickBuffer } from './click-buffer.ts';
import { isLive, openLinkCache } from './link-cache.ts';

export const redirectHeaders = {
  // So that every click reaches the service and is counted.
  'cache-control': 'private, no-store',
  // The target sees at most the host of the referring page.
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-robots-tag': 'noindex',
};

/** The address is used to compute country and visitor id, and is not stored. */
interface Caller {
  address: string;
  headers: IncomingHttpHeaders;
}

export interface RedirectParts {
  database: Database;
  logger: Logger;
  config: LinksConfig;
}

export type Redirects = ReturnType<typeof openRedirects>;

export function openRedirects({ database, logger, config }: RedirectParts) {
  const links = openLinkCache(database, logger);
  const visitors = openVisitors(database, logger);
  const clicks = new ClickBuffer({ database, logger });
  let countryOf: FindCountry | undefined;
  const ready = Promise.all([openCountries(config), visitors.ready])
    .then(([opened]) => {
      countryOf = opened;
    })
    .catch(error =>
      logger.error(
        { err: error },
        'cannot read the country database; clicks are stored without a country; check COUNTRY_DATABASE',
      ),
    );

  const count = (click: { linkId: string; at: number; isScan: boolean }, { address, headers }: Caller): void => {
    const { linkId, at, isScan } = click;
    const userAgent = headers['user-agent'] ?? '';
    const { class: caller, device, browser } = readUserAgent(userAgent);
    clicks.add({
      linkId,
      at,
      class: caller === 'human' && isPrefetch(headers) ? 'prefetch' : caller,
      scanned: isScan,
      visitor: visitors.idOf(address, userAgent, at),
      country: countryOf?.(address, headers) ?? null,
      referrer: referrerHost(headers.referer),
      device,
      browser,
    });
  };

  return {
    find: links.find,
    peek: links.peek,
    warm: links.warm,
    /** The only live link that differs from the mistyped slug by one error; undefined for none or several. */
    async suggest(slug: string): Promise<string | undefined> {
      const candidates = correctedSlugs(slug);
      const known = candidates.length > 0 ? await destinationsOf(database, candidates) : new Map<string, Destination>();
      const live = [...known].filter(([, link]) => isLive(link));
      return live.length === 1 ? live[0]?.[0] : undefined;
    },
    click(linkId: string, caller: Caller, isScan: boolean): void {
      const at = Date.now();
      // The country database opens while a process answers its first requests.
      if (countryOf) count({ linkId, at, isScan }, caller);
      else void ready.then(() => count({ linkId, at, isScan }, caller));
    },
    async close(): Promise<void> {
      visitors.close();
      await links.close();
      await ready;
      await clicks.close();
    },
  };
}

const dayMs = 86_400_000;
const renewEveryMs = 60_000;

/** Hashes address and user agent with a daily salt, which is deleted after two days: ids cannot be traced back then. */
function openVisitors(database: Database, logger: Logger) {
  let salts = new Map<string, string>();
  const renew = async (): Promise<void> => {
    const now = Date.now();
    // Includes tomorrow's salt, for the case that PostgreSQL is down at midnight.
    const days = [dayOf(now), dayOf(now + dayMs)];
    try {
      salts = await visitorSalts(database, days, dayOf(now - dayMs));
    } catch (error) {
      logger.warn({ err: error, retryInMs: renewEveryMs }, 'cannot read the salts for visitor ids');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  return {
    /** Resolves after the first attempt to read the salts. */
    ready: renew(),
    /** A UUID, stable for one address and user agent within one day (UTC); null without a salt. */
    idOf(address: string, userAgent: string, at: number): string | null {
      const salt = salts.get(dayOf(at));
      if (!salt) return null;
      // Plain SHA-256 is enough: the salt has 256 random bits, and the truncated hash prevents length extension.
      const hex = hash('sha256', `${salt}\n${address}\n${userAgent}`);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    },
    close: () => clearInterval(timer),
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
