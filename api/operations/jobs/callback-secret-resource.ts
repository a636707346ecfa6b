/** A client's callback secret as its owner sees it. */
import { z } from 'zod';
import type { CallbackSecret } from '../../../core/callbacks/secrets.ts';

export const CallbackSecretResource = z
  .object({
    secret: z.string().describe('`whsec_` and the key in base64: what Standard Webhooks libraries take.'),
    createdAt: z.iso.datetime(),
    previousSecretExpiresAt: z.iso
      .datetime()
      .nullable()
      .describe('Until then callbacks carry the replaced secret’s signature as well.'),
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
export type CallbackSecretResource = z.infer<typeof CallbackSecretResource>;

/** @param live the current secret first */
export function callbackSecretResource([current, previous]: readonly [
  CallbackSecret,
  ...CallbackSecret[],
]): CallbackSecretResource {
  return {
    secret: current.secret,
    createdAt: current.createdAt.toISOString(),
    previousSecretExpiresAt: previous?.expiresAt?.toISOString() ?? null,
  };
}
