import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { authenticateClient, ClientCredentials } from './client-authentication.ts';

/** Source: RFC 7009. Section 2.2: an unknown token is answered like one that was revoked. */
export default defineOperation({
  summary:
    'End one of the client’s own tokens, from the next request on; 200 for a token it does not have, too.',
  id: 'oauth.revokeToken',
  method: 'POST',
  path: '/oauth/revoke',
  scope: null,
  style: 'oauth',
  request: {
    body: z.object({
      token: z.string({ error: 'is required' }).meta({ examples: ['access_1mB0aVnT…'] }),
      token_type_hint: z.string().optional().describe('Not needed: all tokens are access tokens.'),
      ...ClientCredentials.shape,
    }),
  },
  answers: { 200: { description: 'The client has no such live token any more.' } },
  async handle({ body }, { request, services }) {
    const client = await authenticateClient(request, body, services);
    await services.oauth.revokeToken(body.token, client.clientId);
    return { status: 200, headers: { 'cache-control': 'no-store' } };
  },
});
