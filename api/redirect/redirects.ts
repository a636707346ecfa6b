/** What the redirect stands on: the links in memory, and the clicks that are counted beside it. */
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type { LinksConfig } from '../../core/domain/links/config.ts';
import { type FindCountry, openCountries } from '../../core/domain/links/country.ts';
import { referrerHost } from '../../core/domain/links/referrer.ts';
import { type Destination, destinationsOf } from '../../core/domain/links/rows.ts';
import { slugsMeant } from '../../core/domain/links/slug.ts';
import { isPrefetch, readUserAgent } from '../../core/domain/links/user-agent.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import { ClickLog } from './click-log.ts';
import { isLive, type LinkCache, openLinkCache } from './link-cache.ts';
import { openVisitors } from './visitors.ts';

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
