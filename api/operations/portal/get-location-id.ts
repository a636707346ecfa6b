import { z } from 'zod';
import { createPortalLocationSearch } from '../../../core/domain/locations/portal-location-search.ts';
import type { Location } from '../../../core/integrations/listing-portal/location.ts';
import { type ErrorCode, Problem, problemOf, ServiceError } from '../../../core/runtime/errors.ts';
import { type Answer, type Call, defineOperation, problemExample } from '../../http/operation.ts';
import {
  asOfCopy,
  asOfField,
  LocationName,
  LocationResource,
  locationExample,
  locationResource,
} from './location-resource.ts';

const problemType = 'application/problem+json';
const WithCandidates = Problem.extend({ candidates: z.array(LocationResource) }).meta({
  id: 'ProblemWithCandidates',
});

/** How many locations are suggested. */
const suggestions = 10;

export default defineOperation({
  summary:
    'The listing portal’s id of the location of exactly this name; case, accents and hyphens do not matter.',
  id: 'portal.getLocationId',
  method: 'GET',
  path: '/apps/portal/v1/locations/id',
  scope: 'portal:read',
  request: {
    query: z.object({
      name: LocationName.describe('The whole name, in English or Arabic, such as `Dubai Marina`.'),
      parent: LocationName.optional().describe(
        'The whole name of any place it lies in, such as `Dubai`: tells places of one name apart.',
      ),
    }),
  },
  answers: {
    200: {
      description: 'The location.',
      schema: LocationResource.extend({ asOf: asOfField }),
      example: { ...locationExample, asOf: '2026-01-31T01:00:00.000Z' },
    },
    404: {
      description: 'No location has this name; `candidates` are those that come near.',
      contentType: problemType,
      schema: WithCandidates,
      example: {
        ...problemExample('not-found', 'No location has this name.', '/apps/portal/v1/locations/id'),
        candidates: [locationExample],
      },
    },
    409: {
      description: 'Several locations have this name; they are the `candidates`.',
      contentType: problemType,
      schema: WithCandidates,
      example: {
        ...problemExample('conflict', 'Several locations have this name.', '/apps/portal/v1/locations/id'),
        candidates: [locationExample],
      },
    },
  },
  async handle({ query: { name, parent } }, call) {
    const { database } = call.services;
    const locations = createPortalLocationSearch(database);
    const [asOf, named] = await Promise.all([asOfCopy(database), locations.named(name, parent)]);
    const [location, ...others] = named;
    const where = parent === undefined ? '' : ` in ${parent.trim()}`;
    if (!location) {
      const near = await locations.search({ text: name, limit: suggestions });
      const told = `No location is named ${name.trim()}${where}; the candidates come near.`;
      return withCandidates(call, 'not-found', told, near);
    }
    if (others.length > 0) {
      const told = `${named.length} locations are named ${name.trim()}${where}; say with parent which is meant.`;
      return withCandidates(call, 'conflict', told, named.slice(0, suggestions));
    }
    return { status: 200, body: { ...locationResource(location), asOf } };
  },
});

function withCandidates(
  { request }: Call,
  code: ErrorCode,
  detail: string,
  candidates: readonly Location[],
): Answer {
  const error = new ServiceError(code, detail);
  const shown = candidates.map(({ id, type, name, nameAr, places, coordinates }) =>
    locationResource({ id, type, name, nameAr, places, coordinates }),
  );
  return {
    status: error.status,
    headers: { 'content-type': problemType, 'cache-control': 'no-store' },
    body: { ...problemOf(error, request.originalUrl.split('?')[0] ?? ''), candidates: shown },
  };
}
