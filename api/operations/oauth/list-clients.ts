import { z } from 'zod';
import { isoDates } from '../../../core/values/iso-dates.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { ClientResource } from './client-resource.ts';

const ClientCursor = z.object({ createdAt: z.iso.datetime(), clientId: z.string().regex(/^[^\0]*$/) });

export default defineOperation({
  summary: 'List all clients, newest first, deactivated ones included. Secrets are never shown.',
  id: 'oauth.listClients',
  route: 'GET /oauth/clients',
  scope: 'oauth:clients',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of clients.', schema: pageSchema(ClientResource) } },
  async handle({ query }, { services, request }) {
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ClientCursor);
    const found = await services.clients.list(
      query.limit + 1,
      after && { clientId: after.clientId, createdAt: new Date(after.createdAt) },
    );
    const { items, nextCursor } = cutPage(found, query.limit, ({ clientId, createdAt }) => ({
      createdAt: createdAt.toISOString(),
      clientId,
    }));
    return ok({ items: items.map(isoDates), nextCursor }, nextLink(request, nextCursor));
  },
});
