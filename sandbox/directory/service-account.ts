/** `/oauth2/token`: access tokens of a service account for its client id and secret (client credentials grant). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tokens } from '../kit/tokens.ts';

const path = '/oauth2/token';
const login = `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`;

export const isTokenRequest = ({ url }: FastifyRequest): boolean => url.split('?')[0]?.endsWith(path) ?? false;

export function addTokens(app: FastifyInstance, tokens: Tokens, seconds: () => number): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.post<{ Body: Record<string, string> }>(path, ({ headers, body }, reply) => {
    if (headers.authorization !== login)
      return reply.code(401).send({ error: 'invalid_client', error_description: 'Client authentication failed.' });
    if (body.grant_type !== 'client_credentials' || body.scope !== 'api')
      return reply.code(400).send({ error: 'invalid_scope', error_description: 'The requested scope is invalid.' });
    return { access_token: tokens.issue(seconds()), expires_in: seconds(), scope: 'api', token_type: 'bearer' };
  });
}
