import { actorOf, defineOperation } from '../../http/operation.ts';
import { requireGrantable, requireKnownScopes } from './client-guard.ts';
import { ClientFields, ClientWithSecret, clientWithSecret } from './client-resource.ts';

export default defineOperation({
  summary:
    'Create a client. Its secret is in this answer only. A caller can give only scopes that its own token has.',
  id: 'oauth.createClient',
  method: 'POST',
  path: '/oauth/clients',
  scope: 'oauth:clients',
  idempotent: 'secret',
  request: { body: ClientFields },
  answers: { 201: { description: 'The client and its secret.', schema: ClientWithSecret } },
  async handle({ body }, call) {
    const { clients, scopes, config } = call.services;
    requireKnownScopes(body.scopes, scopes);
    requireGrantable(call.client, body.scopes);
    const created = await clients.create({ ...body, scopes: [...new Set(body.scopes)] }, actorOf(call));
    return {
      status: 201,
      headers: {
        location: `${config.BASE_PATH}/oauth/clients/${created.client.clientId}`,
        'cache-control': 'no-store',
      },
      body: clientWithSecret(created),
    };
  },
});
