/** The listing portal in our verbs: search its locations, read them all, look a permit up. */
import { ServiceError } from '../../runtime/errors.ts';
import { type AccessToken, keepToken } from '../kit/access-token.ts';
import type { SystemTools } from '../kit/context.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { ListingPortalConfig } from './config.ts';
import { type Crawl, type CrawlOptions, crawlLocations } from './crawl.ts';
import { readFault } from './faults.ts';
import type { LocationPage, LocationQuery } from './location-query.ts';
import {
  ComplianceAnswer,
  LocationsAnswer,
  ourLocation,
  ourPermit,
  type Permit,
  TokenAnswer,
} from './wire.ts';

export interface ListingPortal {
  /** One page of the locations that a term finds: it looks into the names of the whole path. @throws UpstreamError */
  searchLocations(query: LocationQuery): Promise<LocationPage>;
  /** All locations, of the country or of a city, in English and Arabic. @throws UpstreamError */
  crawlLocations(options: CrawlOptions): Promise<Crawl>;
  /**
   * The permit of an advertisement, with the address where anybody can check it.
   * @throws ServiceError not-found
   */
  permit(query: { permitNumber: string; licenseNumber: string; type?: string }): Promise<Permit>;
}

export function openListingPortal(config: ListingPortalConfig, tools: SystemTools): ListingPortal {
  const token = keepToken(tokenFetcher(config, tools));
  const perMinute = config.LISTING_PORTAL_CALLS_PER_MINUTE;
  const http = tools.http({
    baseUrl: config.LISTING_PORTAL_URL ?? '',
    headers: async () => ({ authorization: `Bearer ${await token.current()}` }),
    onUnauthorized: token.drop,
    readFault,
    // A sixth of the minute's calls at once and the rest spread over it: never more than all in any minute.
    budget: {
      name: 'listing-portal',
      capacity: perMinute / 6,
      perSecond: (perMinute * 5) / 6 / 60,
      reserve: perMinute / 60,
    },
  });

  const searchLocations = async (query: LocationQuery): Promise<LocationPage> => {
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
    return { total: pagination.total, locations: data.map(ourLocation) };
  };

  return {
    searchLocations,
    crawlLocations: options => crawlLocations(searchLocations, options),
    async permit({ permitNumber, licenseNumber, type }) {
      const path = `/v1/compliances/${encodeURIComponent(permitNumber)}/${encodeURIComponent(licenseNumber)}`;
      const answer = await http
        .call({ class: 'read', method: 'GET', path, query: { permitType: type }, answer: ComplianceAnswer })
        .catch(asNotFound);
      const permit = answer.data[0];
      if (!permit) throw noSuchPermit();
      return ourPermit(permit);
    },
  };
}

function tokenFetcher(config: ListingPortalConfig, tools: SystemTools): () => Promise<AccessToken> {
  const http = tools.http({
    baseUrl: config.LISTING_PORTAL_URL ?? '',
    readFault,
    // The portal gives out 60 tokens a minute: 10 at once and 50 more in the minute.
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
    return { value: accessToken, endsAt: begun + expiresIn * 1_000 };
  };
}

const noSuchPermit = (cause?: unknown): ServiceError =>
  new ServiceError('not-found', 'The listing portal knows no such permit under this licence.', { cause });

function asNotFound(error: unknown): never {
  throw error instanceof UpstreamError && error.failure.status === 404 ? noSuchPermit(error) : error;
}
