import { z } from 'zod';
import { OauthError } from '../../http/oauth-error.ts';
import { defineOperation } from '../../http/operation.ts';
import { authenticateClient, ClientCredentials } from './client-authentication.ts';

/** Source: RFC 6749 sections 4.4 (client credentials) and 3.3 (scope). */
export default defineOperation({
  summary: 'Issue an access token for client credentials, with the scopes in `scope`, or all scopes of the client.',
  id: 'oauth.issueToken',
  route: 'POST /oauth/token',
  scope: null,
  style: 'oauth',
  request: {
    body: z.object({
      grant_type: z
        .string({ error: 'is required' })
        .meta({ examples: ['client_credentials'] })
        .describe('`client_credentials`.'),
      scope: z.string().optional().describe('Scopes separated by spaces.'),
      ...ClientCredentials.shape,
    }),
  },
  answers: {
    200: {
      description: 'The token.',
      schema: z.object({
        access_token: z.string().describe('The token.'),
        token_type: z.literal('Bearer').describe('How to send the token.'),
        expires_in: z.int().describe('Seconds.'),
        scope: z.string().describe('Scopes of the token, separated by spaces.'),
      }),
      example: {
        access_token: 'access_1mB0aVnT…',
        token_type: 'Bearer',
        expires_in: 3_600,
        scope: 'pdf portal:read',
      },
    },
  },
  async handle({ body }, { request, services }) {
    if (body.grant_type !== 'client_credentials') {
      throw new OauthError('unsupported_grant_type', 'The only grant type is client_credentials.');
    }
    const client = await authenticateClient(request, body, services);
    const scopes = requestedScopes(client.scopes, body.scope);
    await services.throttle.countToken(client.clientId, request.ip);
    const token = await services.oauth.issueToken(client, scopes);
    return {
      status: 200,
      headers: { pragma: 'no-cache' },
      body: {
        access_token: token.accessToken,
        token_type: 'Bearer',
        expires_in: token.expiresInSeconds,
        scope: token.scopes.join(' '),
      },
    };
  },
});

function requestedScopes(allowed: readonly string[], scope: string | undefined): string[] {
  const requested = (scope ?? '').split(' ').filter(name => name !== '');
  if (requested.length === 0) return [...allowed];
  const denied = requested.filter(name => !allowed.includes(name));
  if (denied.length === 0) return [...new Set(requested)];
  throw new OauthError('invalid_scope', `The client does not have the scopes: ${denied.join(' ')}.`);
}
