import { actorOf, created, defineOperation } from '../../http/operation.ts';
import { requireGrantable, requireKnownScopes } from './client-guard.ts';
import { ClientFields, ClientWithSecret, clientDetails } from './client-resource.ts';

export default defineOperation({
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
