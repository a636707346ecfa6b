import { z } from 'zod';
import { GracePeriod } from '../../http/input-fields.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { CallbackSecretResource, secretAnswer } from './callback-secret-resource.ts';

export default defineOperation({
  summary: 'Replace the secret that signs callbacks. During the grace period both secrets sign.',
  id: 'jobs.rotateCallbackSecret',
  route: 'POST /jobs/callback-secret/rotate',
  scope: anyScope,
  idempotent: 'secret',
  request: {
    body: z
      .object({
        gracePeriodSeconds: GracePeriod.describe('How long the replaced secret also signs; 0: not at all.'),
      })
      .prefault({}),
  },
  answers: { 200: { description: 'The new secret.', schema: CallbackSecretResource } },
  handle: async ({ body }, { client, services }) =>
    secretAnswer(await services.callbackSecrets.rotate(client.clientId, body.gracePeriodSeconds)),
});
