import { z } from 'zod';
import { createPortalLocationSearch } from '../../../core/domain/locations/portal-location-search.ts';
import type { Location } from '../../../core/integrations/listing-portal/location.ts';
import { type ErrorCode, Problem, problemOf, publicProblem, ServiceError } from '../../../core/runtime/errors.ts';
import { type Answer, type Call, defineOperation, pathOf, problemExample } from '../../http/operation.ts';
import {
  asOfField,
  LocationName,
  LocationResource,
  locationExample,
  locationResource,
  mirrorAsOf,
} from './location-resource.ts';

const problemType = 'application/problem+json';
const WithCandidates = Problem.extend({ candidates: z.array(LocationResource) }).meta({
  id: 'ProblemWithCandidates',
});

const path = '/apps/portal/v1/locations/id';
const problemWithCandidates = (code: ErrorCode, detail: string) => ({
  contentType: problemType,
  schema: WithCandidates,
  example: { ...problemExample(code, detail, path), candidates: [locationExample] },
});

const maxCandidates = 10;

export default defineOperation({
  summary: 'The portal’s id of the location with this name, ignoring case, accents and hyphens.',
  id: 'portal.getLocationId',
  method: 'GET',
  path,
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
    404: {
      description: 'No location has this name; `candidates` have similar names.',
      ...problemWithCandidates('not-found', 'No location has this name.'),
    },
    409: {
      description: 'Several locations have this name: the `candidates`.',
      ...problemWithCandidates('conflict', 'Several locations have this name.'),
    },
  },
  async handle({ query: { name, parent } }, call) {
    const { database } = call.services;
    const locations = createPortalLocationSearch(database);
    const [asOf, named] = await Promise.all([mirrorAsOf(database), locations.named(name, parent)]);
    const [location, ...others] = named;
    const where = parent === undefined ? '' : ` in ${parent.trim()}`;
    if (!location) {
      const similar = await locations.search({ text: name, limit: maxCandidates });
      const detail = `No location is named ${name.trim()}${where}; the candidates have similar names.`;
      return withCandidates(call, 'not-found', detail, similar);
    }
    if (others.length > 0) {
      const detail = `${named.length} locations are named ${name.trim()}${where}; choose one with parent.`;
      return withCandidates(call, 'conflict', detail, named.slice(0, maxCandidates));
    }
    return { status: 200, body: { ...locationResource(location), asOf } };
  },
});

function withCandidates(
  { request, services }: Call,
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
    body: { ...publicProblem(problemOf(error, pathOf(request)), services.address.url), candidates: shown },
  };
}
