import { z } from 'zod';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { CallbackSecretResource, callbackSecretResource } from './callback-secret-resource.ts';

const day = 86_400;

export default defineOperation({
  summary:
    'Replace the secret that callbacks are signed with. During the grace period they carry the signatures of both.',
  id: 'jobs.rotateCallbackSecret',
  method: 'POST',
  path: '/jobs/callback-secret/rotate',
  scope: anyScope,
  idempotent: 'secret',
  request: {
    body: z
      .object({
        gracePeriodSeconds: z
          .int()
          .min(0)
          .max(30 * day)
          .default(day)
          .describe('How long the replaced secret signs as well; 0: it ends now.'),
      })
      .prefault({}),
  },
  answers: { 200: { description: 'The new secret.', schema: CallbackSecretResource } },
  async handle({ body }, { client, services }) {
    const live = await services.callbackSecrets.rotate(client.clientId, body.gracePeriodSeconds);
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: callbackSecretResource(live) };
  },
});
