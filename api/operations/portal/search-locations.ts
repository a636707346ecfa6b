/** Searches the mirror of the listing portal's locations; answers JSON, or text for the chat bot. */
import { z } from 'zod';
import { createPortalLocationSearch } from '../../../core/domain/locations/portal-location-search.ts';
import { defineOperation } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';
import {
  asOfField,
  chatText,
  FoundLocationResource,
  LocationQuery,
  locationResource,
  mirrorAsOf,
} from './location-resource.ts';

async function search({ database }: ApiServices, query: z.output<typeof LocationQuery>) {
  const [found, asOf] = await Promise.all([
    createPortalLocationSearch(database).search({ ...query, text: query.search }),
    mirrorAsOf(database),
  ]);
  return { found, asOf };
}

const searchLocations = defineOperation({
  summary:
    'Search the listing portal’s locations by name in English or Arabic, tolerating misspellings; best match first, then larger places first.',
  id: 'portal.searchLocations',
  route: 'GET /apps/portal/v1/locations',
  scope: 'portal:read',
  request: { query: LocationQuery },
  answers: {
    200: {
      description: 'The locations; empty when nothing matches.',
      schema: z.object({
        items: z.array(FoundLocationResource).describe('The locations, best match first.'),
        asOf: asOfField,
      }),
    },
  },
  async handle({ query }, { services }) {
    const { found, asOf } = await search(services, query);
    return { status: 200, body: { items: found.map(locationResource), asOf } };
  },
});

const searchForChat = defineOperation({
  summary: 'The same search as numbered lines of text for a chat bot.',
  id: 'portal.searchLocationsForChat',
  route: 'GET /apps/portal/v1/locations/chat-bot',
  scope: 'portal:read',
  request: { query: LocationQuery.extend({ limit: LocationQuery.shape.limit.default(5) }) },
  answers: {
    200: {
      description: 'The text, in the language of the search text; a sentence when nothing matches.',
      schema: z.object({ text: z.string().describe('One line for each location.'), asOf: asOfField }).meta({
        examples: [
          {
            text: '1. Dubai Marina — community, Dubai\n2. Marina Gate — subcommunity, Dubai Marina, Dubai',
            asOf: '2026-01-31T21:00:12.345Z',
          },
        ],
      }),
    },
  },
  async handle({ query }, { services }) {
    const { found, asOf } = await search(services, query);
    return { status: 200, body: { text: chatText(query.search, found), asOf } };
  },
});

export default [searchLocations, searchForChat];
