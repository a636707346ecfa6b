import { defineOperation } from '../../http/operation.ts';
import { ClientDetails, ClientParams, clientAnswer, clientDetails } from './client-resource.ts';

export default defineOperation({
  summary: 'One client, with the times of use of its secrets: an old one that is no longer used may go.',
  id: 'oauth.getClient',
  method: 'GET',
  path: '/oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: { params: ClientParams },
  answers: { 200: { description: 'The client.', schema: ClientDetails } },
  handle: async ({ params }, { services }) =>
    clientAnswer(await services.clients.find(params.clientId), clientDetails),
});
