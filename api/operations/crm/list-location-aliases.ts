import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { LocationAliasResource } from './location-alias-resource.ts';

const AliasCursor = z.object({ after: z.string().regex(/^\d{1,10}$/) });

export default defineOperation({
  summary: 'List the decisions about which CRM location a listing-portal location is, sorted by the portal’s id.',
  id: 'crm.listLocationAliases',
  route: 'GET /apps/crm/v1/locations/aliases',
  scope: 'crm:sync',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of decisions.', schema: pageSchema(LocationAliasResource) } },
  async handle({ query: { cursor, limit } }, { services, request }) {
    const after = cursor === undefined ? 0 : Number(decodeCursor(cursor, AliasCursor).after);
    const found = await createLocationAliases(services.database).list({ after, limit: limit + 1 });
    const page = cutPage(found, limit, last => ({ after: String(last.portalLocationId) }));
    return { status: 200, headers: nextLink(request, page.nextCursor), body: page };
  },
});
