import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';
import { LocationAliasResource, locationAliasResource } from './location-alias.ts';

const AliasCursor = z.object({ after: z.string().regex(/^\d{1,10}$/) });

export default defineOperation({
  summary: 'The decisions on which CRM location a listing-portal location is, by the portal’s id.',
  id: 'crm.listLocationAliases',
  method: 'GET',
  path: '/apps/crm/v1/locations/aliases',
  scope: 'crm:sync',
  request: { query: ListQuery },
  answers: {
    200: {
      description: 'A page of decisions.',
      schema: z.object({ items: z.array(LocationAliasResource), nextCursor: z.string().nullable() }),
    },
  },
  async handle({ query: { cursor, limit } }, { services, request }) {
    const after = cursor === undefined ? 0 : Number(decodeCursor(cursor, AliasCursor).after);
    const found = await createLocationAliases(services.database).list({ after, limit: limit + 1 });
    const aliases = found.slice(0, limit);
    const last = aliases.at(-1);
    const nextCursor =
      found.length > limit && last ? encodeCursor({ after: String(last.portalLocationId) }) : null;
    return {
      status: 200,
      headers: nextLink(request, nextCursor),
      body: { items: aliases.map(locationAliasResource), nextCursor },
    };
  },
});
