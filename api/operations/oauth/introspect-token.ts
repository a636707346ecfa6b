import { z } from 'zod';
import { defineOperation, ok } from '../../http/operation.ts';
import { authenticateClient, TokenInput } from './client-authentication.ts';

const Introspection = z.discriminatedUnion('active', [
  z.object({
    active: z.literal(true).describe('The token is valid.'),
    client_id: z.string().describe('The client of the token.'),
    scope: z.string().describe('Its scopes, separated by spaces.'),
    token_type: z.literal('Bearer').describe('How to send the token.'),
    iat: z.int().describe('Issued at, in seconds since 1970.'),
    exp: z.int().describe('Expires at, in seconds since 1970.'),
  }),
  z.object({ active: z.literal(false).describe('There is no such valid token.') }),
]);

/** Source: RFC 7662. To other clients, a client's token looks like an unknown one. */
export default defineOperation({
  summary:
    'Tell whether a token is valid, and its scopes. A client sees its own tokens; with the scope `oauth:clients` it sees all.',
  id: 'oauth.introspectToken',
  route: 'POST /oauth/introspect',
  scope: null,
  style: 'oauth',
  request: { body: TokenInput },
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
    if (!visible) return ok({ active: false });
    return ok({
      active: true,
      client_id: token.clientId,
      scope: token.scopes.join(' '),
      token_type: 'Bearer',
      iat: seconds(token.issuedAt),
      exp: seconds(token.expiresAt),
    });
  },
});

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
