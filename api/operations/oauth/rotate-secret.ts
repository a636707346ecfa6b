import { z } from 'zod';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { requireGrantable } from './client-guard.ts';
import {
  ClientParams,
  ClientWithSecret,
  clientAnswer,
  clientWithSecret,
  GracePeriod,
} from './client-resource.ts';

export default defineOperation({
  summary:
    'A new secret, shown in this answer only; the old one works on for the grace period (0: it ends now). Live tokens live on. The caller’s token must have every scope of the client.',
  id: 'oauth.rotateSecret',
  method: 'POST',
  path: '/oauth/clients/{clientId}/rotate-secret',
  scope: 'oauth:clients',
  idempotent: 'secret',
  request: {
    params: ClientParams,
    body: z.object({ gracePeriodSeconds: GracePeriod }).prefault({}),
  },
  answers: { 200: { description: 'The client and its new secret.', schema: ClientWithSecret } },
  async handle({ params, body }, call) {
    const rotated = await call.services.clients.rotateSecret(
      params.clientId,
      body.gracePeriodSeconds,
      actorOf(call),
      current => requireGrantable(call.client, current.scopes),
    );
    return clientAnswer(rotated, clientWithSecret);
  },
});
