import { defineOperation } from '../../http/operation.ts';
import { ClientDetails, ClientParams, clientAnswer } from './client-resource.ts';

export default defineOperation({
  summary: 'Get a client with the last use of each secret: an old secret that is no longer used can be removed.',
  id: 'oauth.getClient',
  route: 'GET /oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: { params: ClientParams },
  answers: { 200: { description: 'The client.', schema: ClientDetails } },
  handle: async ({ params }, { services }) => clientAnswer(await services.clients.find(params.clientId)),
});
