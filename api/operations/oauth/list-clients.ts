import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';
import { ClientResource, clientResource } from './client-resource.ts';

const ClientCursor = z.object({ createdAt: z.iso.datetime(), clientId: z.string().regex(/^[^\0]*$/) });

export default defineOperation({
  summary: 'All clients, newest first, deactivated ones included. Secrets never appear.',
  id: 'oauth.listClients',
  method: 'GET',
  path: '/oauth/clients',
  scope: 'oauth:clients',
  request: { query: ListQuery },
  answers: {
    200: {
      description: 'A page of clients.',
      schema: z.object({ items: z.array(ClientResource), nextCursor: z.string().nullable() }),
    },
  },
  async handle({ query }, { services, request }) {
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ClientCursor);
    const found = await services.clients.list(
      query.limit + 1,
      after && { clientId: after.clientId, createdAt: new Date(after.createdAt) },
    );
    const clients = found.slice(0, query.limit);
    const last = clients.at(-1);
    const nextCursor =
      found.length > query.limit && last
        ? encodeCursor({ createdAt: last.createdAt.toISOString(), clientId: last.clientId })
        : null;
    return {
      status: 200,
      headers: { 'cache-control': 'no-store', ...nextLink(request, nextCursor) },
      body: { items: clients.map(clientResource), nextCursor },
    };
  },
});
