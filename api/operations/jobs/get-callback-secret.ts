import { anyScope, defineOperation } from '../../http/operation.ts';
import { CallbackSecretResource, secretAnswer } from './callback-secret-resource.ts';

export default defineOperation({
  summary: 'Get the secret that signs the client’s callbacks (Standard Webhooks); created on first use.',
  id: 'jobs.getCallbackSecret',
  route: 'GET /jobs/callback-secret',
  scope: anyScope,
  request: {},
  answers: { 200: { description: 'The secret.', schema: CallbackSecretResource } },
  handle: async (_, { client, services }) => secretAnswer(await services.callbackSecrets.live(client.clientId)),
});
