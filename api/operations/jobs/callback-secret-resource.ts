/** A client’s secret for signing callbacks, in answers. */
import { z } from 'zod';
import type { CallbackSecret } from '../../../core/callbacks/secrets.ts';
import { type Answer, ok } from '../../http/operation.ts';

export const CallbackSecretResource = z
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

/** @param live the current secret first */
export function secretAnswer([current, previous]: readonly [CallbackSecret, ...CallbackSecret[]]): Answer {
  const body: CallbackSecretResource = {
    secret: current.secret,
    createdAt: current.createdAt.toISOString(),
    previousSecretExpiresAt: previous?.expiresAt?.toISOString() ?? null,
  };
  return ok(body);
}
