/** The listing portal: Property Finder, through its Enterprise API. */
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { goodRows } from '../kit/read-rows.ts';
import { type AccessToken, cacheToken } from '../kit/token-cache.ts';
import { orUndefined } from '../kit/upstream-error.ts';
import { type CrawlOptions, crawlLocations } from './crawl.ts';
import { openEnquiries } from './enquiries.ts';
import type { LocationPage, LocationQuery } from './location.ts';
import { type Delivery, isSigned, signatureHeaders } from './webhook.ts';
import {
  ComplianceAnswer,
  ListingsAnswer,
  LocationsAnswer,
  ourLocation,
  ourPermit,
  type Permit,
  readFault,
  system,
  TokenAnswer,
} from './wire.ts';

export const ListingPortalConfig = z.object({
  LISTING_PORTAL_URL: httpUrl
    .optional()
    .describe('The listing portal’s API, such as https://atlas.propertyfinder.com; unset: the sandbox in development.'),
  LISTING_PORTAL_API_KEY: z.string().optional().describe('API key of the listing portal, of the type API integration.'),
  LISTING_PORTAL_API_SECRET: z.string().optional().describe('Secret of the API key.'),
  LISTING_PORTAL_CALLS_PER_MINUTE: wholeNumber(6, 1_000_000)
    .default(650)
    .describe('Calls to the listing portal in a minute, by all processes together; it allows 650.'),
  LISTING_PORTAL_WEBHOOK_SECRET: z
    .string()
    .min(16, 'must have at least 16 characters')
    .max(32, 'must have at most 32 characters, the portal’s limit')
    .optional()
    .describe('Secret of the webhooks that you subscribe to at the listing portal; unset: none is accepted.'),
  LISTING_PORTAL_SIGNATURE_HEADER: z
    .enum(signatureHeaders)
    .default('X-Signature')
    .describe('Header with the signature of a webhook: X-Signature, or X-PropertyFinder-Signature of the older API.'),
});
type ListingPortalConfig = z.infer<typeof ListingPortalConfig>;

export default defineSystem({
  ...system,
  config: ListingPortalConfig,
  configuredBy: 'LISTING_PORTAL_URL',
  sandbox: base => ({
    LISTING_PORTAL_URL: base,
    LISTING_PORTAL_API_KEY: 'sandbox'.padEnd(40, '0'),
    LISTING_PORTAL_API_SECRET: 'sandbox'.padEnd(32, '0'),
    LISTING_PORTAL_WEBHOOK_SECRET: 'sandbox'.padEnd(32, '0'),
  }),
  open: openListingPortal,
  probe: portal => portal.searchLocations({ term: 'Dubai', perPage: 1 }),
});

/** All three are required by the portal. */
export interface PermitKey {
  permitNumber: string;
  /** The licence number of the brokerage: in Dubai the ORN. */
  licenceNumber: string;
  /** Dubai's permits, those of its holiday homes, and Abu Dhabi's. */
  permitType: 'rera' | 'dtcm' | 'adrec';
}

export type ListingPortal = ReturnType<typeof openListingPortal>;

function openListingPortal(config: ListingPortalConfig, tools: SystemTools) {
  const token = cacheToken(tools.system, tokenFetcher(config, tools));
  const perMinute = config.LISTING_PORTAL_CALLS_PER_MINUTE;
  const http = tools.http({
    baseUrl: config.LISTING_PORTAL_URL ?? '',
    headers: async () => ({ authorization: `Bearer ${await token.get()}` }),
    onUnauthorized: token.invalidate,
    readFault,
    // A sixth of the minute's calls at once and the rest spread over it: the limit holds in any minute.
    budget: {
      name: 'listing-portal',
      capacity: perMinute / 6,
      perSecond: (perMinute * 5) / 6 / 60,
      reserve: perMinute / 60,
    },
  });

  /** One page of the locations whose path contains the term. @throws UpstreamError */
  async function searchLocations(query: LocationQuery): Promise<LocationPage> {
    const { term, type, parent, id, language = 'en', page = 1, perPage = 100 } = query;
    const { data, pagination } = await http.call({
      class: 'read',
      method: 'GET',
      path: '/v1/locations',
      query: {
        search: term,
        'filter[type]': type?.toUpperCase(),
        'filter[parent]': parent?.join(', '),
        'filter[id]': id,
        page,
        perPage,
      },
      headers: { 'accept-language': language },
      answer: LocationsAnswer,
    });
    return {
      total: pagination.total,
      locations: goodRows(data).map(ourLocation),
      unreadable: data.flatMap(read => ('bad' in read ? Number(read.id) : [])),
    };
  }

  return {
    searchLocations,
    ...openEnquiries(http, tools.system),

    /** Whether the portal has sent the webhook. @throws ServiceError system-not-configured without a secret */
    hasSent(delivery: Delivery): boolean {
      const { LISTING_PORTAL_WEBHOOK_SECRET: secret, LISTING_PORTAL_SIGNATURE_HEADER: header } = config;
      if (secret !== undefined) return isSigned(delivery, secret, header);
      throw new ServiceError('system-not-configured', 'LISTING_PORTAL_WEBHOOK_SECRET is not set.', {
        retryAfterSeconds: 3_600,
      });
    },

    /** All locations of the country or of a city, in English and Arabic. @throws UpstreamError */
    crawlLocations: (options: CrawlOptions) => crawlLocations(searchLocations, options),

    /** Ids of the locations of the firm's own listings. @throws UpstreamError */
    async listedLocations(): Promise<Set<number>> {
      const ids = new Set<number>();
      for (let page: number | null | undefined = 1; page; ) {
        const answer: z.output<typeof ListingsAnswer> = await http.get('/v1/listings', ListingsAnswer, {
          page,
          perPage: 50,
        });
        for (const { location } of answer.results) if (location) ids.add(location.id);
        const next = answer.pagination.nextPage;
        page = answer.results.length > 0 && next && next > page ? next : null;
      }
      return ids;
    },

    /** The permit of an advertisement; undefined when the portal has no such permit. @throws UpstreamError */
    async permit({ permitNumber, licenceNumber, permitType }: PermitKey): Promise<Permit | undefined> {
      const ids = [permitNumber, licenceNumber].map(encodeURIComponent).join('/');
      const path = `/v1/compliances/${ids}`;
      const answer = await orUndefined(http.get(path, ComplianceAnswer, { permitType }));
      const permit = answer?.data[0];
      return permit && ourPermit(permit);
    },
  };
}

function tokenFetcher(config: ListingPortalConfig, tools: SystemTools): () => Promise<AccessToken> {
  const http = tools.http({
    baseUrl: config.LISTING_PORTAL_URL ?? '',
    readFault,
    // The portal issues 60 tokens a minute: 10 at once and 50 more in the minute.
    budget: { name: 'listing-portal-tokens', capacity: 10, perSecond: 50 / 60, reserve: 0 },
  });
  return async () => {
    const begun = Date.now();
    const { accessToken, expiresIn } = await http.call({
      class: 'read',
      method: 'POST',
      path: '/v1/auth/token',
      json: { apiKey: config.LISTING_PORTAL_API_KEY, apiSecret: config.LISTING_PORTAL_API_SECRET },
      answer: TokenAnswer,
    });
    return { value: accessToken, expiresAt: begun + expiresIn * 1_000 };
  };
}
