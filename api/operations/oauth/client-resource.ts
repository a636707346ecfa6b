/** An OAuth client in requests and answers. Only creation and rotation show a secret. */
import { z } from 'zod';
import type { ClientWithSecrets } from '../../../core/oauth/clients.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { isoDates } from '../../../core/values/iso-dates.ts';
import { type Answer, ok } from '../../http/operation.ts';

const time = z.iso.datetime();

const clientExample = {
  clientId: 'client_4f9a2c71d0',
  name: 'Portal',
  description: 'Brochures for the public site',
  scopes: ['pdf', 'portal:read'],
  isActive: true,
  tokenLifetimeSeconds: 3_600,
  createdAt: '2026-01-31T08:00:00.000Z',
  lastUsedAt: '2026-01-31T08:41:00.000Z',
};
const secretsExample = [
  { fingerprint: '9f86d081', createdAt: '2026-01-31T08:00:00.000Z', expiresAt: null, lastUsedAt: null },
];

export const ClientResource = z
  .object({
    clientId: z.string().describe('The client’s id.'),
    name: z.string().describe('Name for people.'),
    description: z.string().describe('What the client is for.'),
    scopes: z.array(z.string()).describe('Scopes of its tokens.'),
    isActive: z.boolean().describe('False: it gets no tokens.'),
    tokenLifetimeSeconds: z.int().describe('Lifetime of its access tokens.'),
    createdAt: time.describe('When the client was created.'),
    lastUsedAt: time.nullable().describe('Last authentication or use of a token, to the minute.'),
  })
  .meta({ id: 'Client', examples: [clientExample] });
export type ClientResource = z.infer<typeof ClientResource>;

export const ClientDetails = ClientResource.extend({
  secrets: z
    .array(
      z.object({
        fingerprint: z.string().describe('The first 8 hexadecimal digits of the secret’s SHA-256.'),
        createdAt: time.describe('When the secret was created.'),
        expiresAt: time.nullable().describe('Null: valid until it is rotated.'),
        lastUsedAt: time.nullable().describe('To the minute.'),
      }),
    )
    .describe('The valid secrets, newest first; an old one that is no longer used can be removed.'),
}).meta({ id: 'ClientDetails', examples: [{ ...clientExample, secrets: secretsExample }] });

export const ClientWithSecret = ClientDetails.extend({
  clientSecret: z.string().describe('Shown only in this answer.'),
}).meta({
  id: 'ClientWithSecret',
  examples: [{ ...clientExample, secrets: secretsExample, clientSecret: 'shown-once-and-never-again' }],
});

export const ClientParams = z.object({
  clientId: z
    .string()
    .max(200)
    .describe('The client’s id.')
    .meta({ examples: [clientExample.clientId] }),
});

const scopesError = 'must name at least one scope';

/** Omitted fields take their defaults. */
export const ClientFields = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^\P{Cc}*$/u, 'must not have control characters')
    .meta({ examples: ['Portal'] })
    .describe('Name for people.'),
  description: z.string().max(2_000).default('').describe('What the client is for.'),
  scopes: z
    .array(z.string().max(100))
    .min(1, scopesError)
    .max(100, 'must name at most 100 scopes')
    .describe('Scopes of its tokens, as the API document lists them.')
    .meta({ examples: [['pdf', 'portal:read']] }),
  tokenLifetimeSeconds: z.int().min(60).max(86_400).default(3_600).describe('Lifetime of its access tokens.'),
});

export const clientDetails = (client: ClientWithSecrets): z.infer<typeof ClientDetails> => ({
  ...isoDates(client),
  secrets: client.secrets.map(isoDates),
});

/** @throws ServiceError not-found without a client */
export function clientAnswer(found: ClientWithSecrets | undefined): Answer {
  if (found) return ok(clientDetails(found));
  throw new ServiceError('not-found', 'There is no such client.');
}
