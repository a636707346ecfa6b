import { actorOf, defineOperation } from '../../http/operation.ts';
import { refuseLockOut } from './client-guard.ts';
import { ClientDetails, ClientParams, clientAnswer, clientDetails } from './client-resource.ts';

export default defineOperation({
  summary:
    'Deactivate a client: its live tokens die at once, the client stays. A client cannot deactivate itself.',
  id: 'oauth.deactivateClient',
  method: 'DELETE',
  path: '/oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: { params: ClientParams },
  answers: { 200: { description: 'The client, no longer active.', schema: ClientDetails } },
  async handle({ params }, call) {
    const deactivated = await call.services.clients.deactivate(params.clientId, actorOf(call), current =>
      refuseLockOut(call.client, params.clientId, { ...current, isActive: false }),
    );
    return clientAnswer(deactivated, clientDetails);
  },
});
