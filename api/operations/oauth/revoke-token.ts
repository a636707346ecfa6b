import { defineOperation } from '../../http/operation.ts';
import { authenticateClient, TokenInput } from './client-authentication.ts';

/** Source: RFC 7009. An unknown token gets the same answer (section 2.2). */
export default defineOperation({
  summary:
    'Revoke one of the client’s own tokens, effective with the next request. Answers 200 for unknown tokens too.',
  id: 'oauth.revokeToken',
  route: 'POST /oauth/revoke',
  scope: null,
  style: 'oauth',
  request: { body: TokenInput },
  answers: { 200: { description: 'The client has no such valid token.' } },
  async handle({ body }, { request, services }) {
    const client = await authenticateClient(request, body, services);
    await services.oauth.revokeToken(body.token, client.clientId);
    return { status: 200 };
  },
});
