import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { asOfField, chatText, LocationQuery, searchLocations } from './location-resource.ts';

export default defineOperation({
  summary: 'Search locations, and answer with numbered lines of text for a chat bot.',
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
    const { found, asOf } = await searchLocations(services, query);
    return { status: 200, body: { text: chatText(query.search, found), asOf } };
  },
});
