import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import {
  asOfField,
  FoundLocationResource,
  LocationQuery,
  locationResource,
  searchLocations,
} from './location-resource.ts';

export default defineOperation({
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
    const { found, asOf } = await searchLocations(services, query);
    return { status: 200, body: { items: found.map(locationResource), asOf } };
  },
});
