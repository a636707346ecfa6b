import { anyScope, defineOperation } from '../../http/operation.ts';
import { CallbackSecretResource, callbackSecretResource } from './callback-secret-resource.ts';

export default defineOperation({
  summary:
    'The secret that callbacks of this client’s jobs are signed with, as Standard Webhooks describe; made when it is first asked for.',
  id: 'jobs.getCallbackSecret',
  method: 'GET',
  path: '/jobs/callback-secret',
  scope: anyScope,
  request: {},
  answers: { 200: { description: 'The secret.', schema: CallbackSecretResource } },
  async handle(_, { client, services }) {
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: callbackSecretResource(await services.callbackSecrets.live(client.clientId)),
    };
  },
});
