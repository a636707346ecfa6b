import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { authenticateClient, ClientCredentials } from './client-authentication.ts';

const Introspection = z.discriminatedUnion('active', [
  z.object({
    active: z.literal(true),
    client_id: z.string(),
    scope: z.string(),
    token_type: z.literal('Bearer'),
    iat: z.int().describe('Issued at, in seconds since 1970.'),
    exp: z.int().describe('Expires at, in seconds since 1970.'),
  }),
  z.object({ active: z.literal(false) }),
]);

/** Source: RFC 7662. A token that is someone else's is told from an unknown one by nobody else. */
export default defineOperation({
  summary:
    'Whether a token is live and what it may be used for. A client sees its own tokens; one that has the scope `oauth:clients` sees all.',
  id: 'oauth.introspectToken',
  method: 'POST',
  path: '/oauth/introspect',
  scope: null,
  style: 'oauth',
  request: {
    body: z.object({
      token: z.string({ error: 'is required' }).meta({ examples: ['access_1mB0aVnT…'] }),
      token_type_hint: z.string().optional().describe('Not needed: all tokens are access tokens.'),
      ...ClientCredentials.shape,
    }),
  },
  answers: {
    200: {
      description: 'The token’s state.',
      schema: Introspection,
      example: {
        active: true,
        client_id: 'client_4f9a2c71d0',
        scope: 'pdf portal:read',
        token_type: 'Bearer',
        iat: 1_769_846_400,
        exp: 1_769_850_000,
      },
    },
  },
  async handle({ body }, { request, services }) {
    const client = await authenticateClient(request, body, services);
    const token = await services.oauth.findToken(body.token);
    const visible = token && (token.clientId === client.clientId || client.scopes.includes('oauth:clients'));
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: visible
        ? {
            active: true,
            client_id: token.clientId,
            scope: token.scopes.join(' '),
            token_type: 'Bearer',
            iat: seconds(token.issuedAt),
            exp: seconds(token.expiresAt),
          }
        : { active: false },
    };
  },
});

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
