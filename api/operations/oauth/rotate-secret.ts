import { z } from 'zod';
import { GracePeriod } from '../../http/input-fields.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { changeProblems, permitChange } from './client-guard.ts';
import { ClientParams, ClientWithSecret, clientAnswer } from './client-resource.ts';

export default defineOperation({
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
  problems: { forbidden: changeProblems.forbidden },
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
