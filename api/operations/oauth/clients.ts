import { z } from 'zod';
import { isoDates } from '../../../core/values/iso-dates.ts';
import { actorOf, created, defineOperation, ok } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { requireGrantable, requireKnownScopes } from './client-guard.ts';
import {
  ClientDetails,
  ClientFields,
  ClientParams,
  ClientResource,
  ClientWithSecret,
  clientAnswer,
  clientDetails,
} from './client-resource.ts';

const ClientCursor = z.object({ createdAt: z.iso.datetime(), clientId: z.string().regex(/^[^\0]*$/) });

const list = defineOperation({
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

const get = defineOperation({
  summary: 'Get a client with the last use of each secret: an old secret that is no longer used can be removed.',
  id: 'oauth.getClient',
  route: 'GET /oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: { params: ClientParams },
  answers: { 200: { description: 'The client.', schema: ClientDetails } },
  handle: async ({ params }, { services }) => clientAnswer(await services.clients.find(params.clientId)),
});

const create = defineOperation({
  summary: 'Create a client. Only this answer shows its secret. Grants only scopes that the token of the request has.',
  id: 'oauth.createClient',
  route: 'POST /oauth/clients',
  scope: 'oauth:clients',
  idempotent: 'secret',
  request: { body: ClientFields },
  answers: { 201: { description: 'The client and its secret.', schema: ClientWithSecret, headers: ['Location'] } },
  async handle({ body }, call) {
    const { clients, scopes } = call.services;
    requireKnownScopes(body.scopes, scopes);
    requireGrantable(call.client, body.scopes);
    const client = await clients.create({ ...body, scopes: [...new Set(body.scopes)] }, actorOf(call));
    return created(call, `/oauth/clients/${client.clientId}`, clientDetails(client));
  },
});

export default [list, get, create];
