import { z } from 'zod';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { newlyGranted, refuseLockOut, requireGrantable, requireKnownScopes } from './client-guard.ts';
import { ClientDetails, ClientFields, ClientParams, clientAnswer, clientDetails } from './client-resource.ts';

export default defineOperation({
  summary:
    'Replace a client’s name, description, scopes, token lifetime and state. A scope that is taken away is gone from its live tokens at once; a client that is switched off or on loses them all.',
  id: 'oauth.replaceClient',
  method: 'PUT',
  path: '/oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: {
    params: ClientParams,
    // No default: a client that was switched off must not come back because a field was left out.
    body: ClientFields.extend({ isActive: z.boolean().meta({ examples: [true] }) }),
  },
  answers: { 200: { description: 'The client as it is now.', schema: ClientDetails } },
  async handle({ params, body }, call) {
    const { clients, scopes } = call.services;
    requireKnownScopes(body.scopes, scopes);
    const next = { ...body, scopes: [...new Set(body.scopes)] };
    const replaced = await clients.replace(params.clientId, next, actorOf(call), current => {
      refuseLockOut(call.client, params.clientId, next);
      requireGrantable(call.client, newlyGranted(current, next));
    });
    return clientAnswer(replaced, clientDetails);
  },
});
