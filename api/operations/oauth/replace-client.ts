import { z } from 'zod';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { changeProblems, permitChange, requireKnownScopes } from './client-guard.ts';
import { ClientDetails, ClientFields, ClientParams, clientAnswer } from './client-resource.ts';

/** A caller may send the representation of GET. */
const readOnly = z.unknown().optional().describe('Read-only: ignored.');

export default defineOperation({
  summary:
    'Replace a client’s name, description, scopes, token lifetime and state. Removing a scope, activating and deactivating revoke all tokens of the client. The token of the request must have every scope that the client gets, has, or had since its last secret was issued. The bootstrap client cannot be changed here.',
  id: 'oauth.replaceClient',
  route: 'PUT /oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: {
    params: ClientParams,
    // Without a default: omitting the field must not reactivate a client.
    body: ClientFields.extend({
      isActive: z
        .boolean()
        .meta({ examples: [true] })
        .describe('False deactivates the client.'),
      clientId: readOnly,
      createdAt: readOnly,
      lastUsedAt: readOnly,
      secrets: readOnly,
    }),
  },
  answers: { 200: { description: 'The client after the change.', schema: ClientDetails } },
  problems: changeProblems,
  async handle({ params, body }, call) {
    const { clients, scopes } = call.services;
    requireKnownScopes(body.scopes, scopes);
    const { name, description, tokenLifetimeSeconds, isActive } = body;
    const next = { name, description, tokenLifetimeSeconds, isActive, scopes: [...new Set(body.scopes)] };
    const permit = permitChange(call, () => next);
    return clientAnswer(await clients.replace(params.clientId, next, actorOf(call), permit));
  },
});
