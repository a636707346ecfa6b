import { z } from 'zod';
import { createPortalLocationSearch } from '../../../core/domain/locations/portal-location-search.ts';
import type { Location } from '../../../core/integrations/listing-portal/location.ts';
import { PublicProblem, ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import {
  asOfField,
  LocationName,
  LocationResource,
  locationExample,
  locationResource,
  mirrorAsOf,
} from './location-resource.ts';

const withCandidates = {
  description: '`candidates` has the locations in question.',
  schema: PublicProblem.extend({
    candidates: z
      .array(LocationResource)
      .describe('Of 404: locations with similar names; of 409: those with this name.'),
  }).meta({ id: 'ProblemWithCandidates' }),
  example: { candidates: [locationExample] },
};

const maxCandidates = 10;

export default defineOperation({
  summary: 'Get the portal’s id of the location with this name, ignoring case, accents and hyphens.',
  id: 'portal.getLocationId',
  route: 'GET /apps/portal/v1/locations/id',
  scope: 'portal:read',
  request: {
    query: z.object({
      name: LocationName.describe('The full name in English or Arabic, such as `Dubai Marina`.'),
      parent: LocationName.optional().describe('Full name of a place that contains it, such as `Dubai`.'),
    }),
  },
  answers: {
    200: {
      description: 'The location.',
      schema: LocationResource.extend({ asOf: asOfField }),
      example: { ...locationExample, asOf: '2026-01-31T01:00:00.000Z' },
    },
    404: withCandidates,
    409: withCandidates,
  },
  problems: { 'not-found': 'No location has this name.', conflict: 'Several locations have this name.' },
  async handle({ query: { name, parent } }, { services: { database } }) {
    const locations = createPortalLocationSearch(database);
    const [asOf, named] = await Promise.all([mirrorAsOf(database), locations.named(name, parent)]);
    const [location, ...others] = named;
    const where = parent === undefined ? '' : ` in ${parent.trim()}`;
    if (!location) {
      const similar = await locations.search({ text: name, limit: maxCandidates });
      const detail = `No location is named ${name.trim()}${where}; the candidates have similar names.`;
      throw new ServiceError('not-found', detail, { members: { candidates: shown(similar) } });
    }
    if (others.length > 0) {
      const detail = `${named.length} locations are named ${name.trim()}${where}; choose one with parent.`;
      throw new ServiceError('conflict', detail, { members: { candidates: shown(named.slice(0, maxCandidates)) } });
    }
    return { status: 200, body: { ...locationResource(location), asOf } };
  },
});

const shown = (candidates: readonly Location[]): object[] =>
  candidates.map(({ id, type, name, nameAr, places, coordinates }) =>
    locationResource({ id, type, name, nameAr, places, coordinates }),
  );
