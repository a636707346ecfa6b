import { actorOf, defineOperation } from '../../http/operation.ts';
import { changeProblems, permitChange } from './client-guard.ts';
import { ClientDetails, ClientParams, clientAnswer } from './client-resource.ts';

export default defineOperation({
  summary:
    'Deactivate a client and revoke its tokens; the client is not deleted. A client cannot deactivate itself. Requires the same scopes as `PUT`.',
  id: 'oauth.deactivateClient',
  route: 'DELETE /oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: { params: ClientParams },
  answers: { 200: { description: 'The deactivated client.', schema: ClientDetails } },
  problems: changeProblems,
  async handle({ params }, call) {
    const permit = permitChange(call, current => ({ ...current, isActive: false }));
    return clientAnswer(await call.services.clients.deactivate(params.clientId, actorOf(call), permit));
  },
});
