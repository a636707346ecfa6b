/** A client's secret for signing callbacks. */
import { z } from 'zod';
import type { CallbackSecret } from '../../../core/callbacks/secrets.ts';
import { GracePeriod } from '../../http/input-fields.ts';
import { type Answer, anyScope, defineOperation, ok } from '../../http/operation.ts';

const CallbackSecretResource = z
  .object({
    secret: z.string().describe('`whsec_` and the key in base64: the format of Standard Webhooks libraries.'),
    createdAt: z.iso.datetime().describe('When the secret was created.'),
    previousSecretExpiresAt: z.iso
      .datetime()
      .nullable()
      .describe('Until then callbacks are also signed with the replaced secret.'),
  })
  .meta({
    id: 'CallbackSecret',
    examples: [
      {
        secret: 'whsec_ZXhhbXBsZSBvbmx5OiB0aGlzIGlzIG5vIHNlY3JldCE=',
        createdAt: '2026-01-31T08:00:00.000Z',
        previousSecretExpiresAt: null,
      },
    ],
  });
type CallbackSecretResource = z.infer<typeof CallbackSecretResource>;

const getSecret = defineOperation({
  summary: 'The secret that signs the client’s callbacks (Standard Webhooks); created on first use.',
  id: 'jobs.getCallbackSecret',
  route: 'GET /jobs/callback-secret',
  scope: anyScope,
  request: {},
  answers: { 200: { description: 'The secret.', schema: CallbackSecretResource } },
  handle: async (_, { client, services }) => secretAnswer(await services.callbackSecrets.live(client.clientId)),
});

const rotateSecret = defineOperation({
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

/** @param live the current secret first */
function secretAnswer([current, previous]: readonly [CallbackSecret, ...CallbackSecret[]]): Answer {
  const body: CallbackSecretResource = {
    secret: current.secret,
    createdAt: current.createdAt.toISOString(),
    previousSecretExpiresAt: previous?.expiresAt?.toISOString() ?? null,
  };
  return ok(body);
}

export default [getSecret, rotateSecret];
