import { z } from 'zod';
import { GracePeriod } from '../../http/input-fields.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { permitChange, requireKnownScopes } from './client-guard.ts';
import { ClientDetails, ClientFields, ClientParams, ClientWithSecret, clientAnswer } from './client-resource.ts';

/** A caller may send the representation of GET. */
const readOnly = z.unknown().optional().describe('Read-only: ignored.');

const problems = {
  forbidden: 'The bootstrap client cannot be changed here.',
  conflict: 'The client would lose its own access to these operations.',
} as const;

const replace = defineOperation({
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
  problems,
  async handle({ params, body }, call) {
    const { clients, scopes } = call.services;
    requireKnownScopes(body.scopes, scopes);
    const { name, description, tokenLifetimeSeconds, isActive } = body;
    const next = { name, description, tokenLifetimeSeconds, isActive, scopes: [...new Set(body.scopes)] };
    const permit = permitChange(call, () => next);
    return clientAnswer(await clients.replace(params.clientId, next, actorOf(call), permit));
  },
});

const deactivate = defineOperation({
  summary:
    'Deactivate a client and revoke its tokens; the client is not deleted. A client cannot deactivate itself. Requires the same scopes as `PUT`.',
  id: 'oauth.deactivateClient',
  route: 'DELETE /oauth/clients/{clientId}',
  scope: 'oauth:clients',
  request: { params: ClientParams },
  answers: { 200: { description: 'The deactivated client.', schema: ClientDetails } },
  problems,
  async handle({ params }, call) {
    const permit = permitChange(call, current => ({ ...current, isActive: false }));
    return clientAnswer(await call.services.clients.deactivate(params.clientId, actorOf(call), permit));
  },
});

const rotateSecret = defineOperation({
  summary:
    'Create a new secret, shown only in this answer. The old one remains valid for the grace period (0: it expires now); live tokens remain valid. Requires the same scopes as `PUT`.',
  id: 'oauth.rotateSecret',
  route: 'POST /oauth/clients/{clientId}/rotate-secret',
  scope: 'oauth:clients',
  idempotent: 'secret',
  request: {
    params: ClientParams,
    body: z
      .object({ gracePeriodSeconds: GracePeriod.describe('Never beyond the old secret’s own expiry.') })
      .prefault({}),
  },
  answers: { 200: { description: 'The client and its new secret.', schema: ClientWithSecret } },
  problems: { forbidden: problems.forbidden },
  async handle({ params, body }, call) {
    const rotated = await call.services.clients.rotateSecret(
      params.clientId,
      body.gracePeriodSeconds,
      actorOf(call),
      permitChange(call, current => current),
    );
    return clientAnswer(rotated);
  },
});

export default [replace, deactivate, rotateSecret];
