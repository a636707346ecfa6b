/** Client authentication of the OAuth endpoints: Basic header or form fields (RFC 6749 section 2.3.1), not both. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OauthClient } from '../../../core/oauth/tokens.ts';
import { OauthError } from '../../http/oauth-error.ts';
import type { ApiServices } from '../../services.ts';

export const ClientCredentials = z.object({
  client_id: z.string().optional().describe('With `client_secret`, unless the Authorization header has both.'),
  client_secret: z.string().optional(),
});
type ClientCredentials = z.infer<typeof ClientCredentials>;

/** A request about a token. */
export const TokenInput = z.object({
  token: z.string({ error: 'is required' }).meta({ examples: ['access_1mB0aVnT…'] }),
  token_type_hint: z.string().optional().describe('Ignored: all tokens are access tokens.'),
  ...ClientCredentials.shape,
});

/** @throws OauthError invalid_client, with a Basic challenge if the request has the header; 429 after too many failures */
export async function authenticateClient(
  request: FastifyRequest,
  form: ClientCredentials,
  { oauth, throttle }: ApiServices,
): Promise<OauthClient> {
  const { authorization } = request.headers;
  const { id, secret } = credentials(authorization, form);
  await throttle.rejectBlocked(id, request.ip);
  // Client ids have no other characters (RFC 6749 appendix A.1).
  const client = /^[\x20-\x7e]+$/.test(id) ? await oauth.authenticate(id, secret) : undefined;
  if (client) return client;
  await throttle.countFailure(id, request.ip);
  throw invalidClient('The client id or its secret is wrong.', authorization);
}

function credentials(authorization: string | undefined, form: ClientCredentials) {
  const { client_id: id, client_secret: secret } = form;
  if (authorization === undefined) {
    if (id !== undefined && secret !== undefined) return { id, secret };
    throw invalidClient(
      'Client authentication is missing: send a Basic header, or client_id and client_secret.',
      authorization,
    );
  }
  const basic = basicCredentials(authorization);
  if (!basic) throw invalidClient('The Authorization header must be Basic.', authorization);
  if (secret !== undefined) {
    throw new OauthError(
      'invalid_request',
      'Authenticate with the Authorization header or with the form, not with both.',
    );
  }
  if (id !== undefined && id !== basic.id) {
    throw new OauthError('invalid_request', 'client_id differs from the Authorization header.');
  }
  return basic;
}

const invalidClient = (detail: string, authorization: string | undefined): OauthError =>
  new OauthError('invalid_client', detail, authorization === undefined ? {} : { challenge: 'Basic' });

/** Id and secret are form-encoded, so the first colon separates them. */
export function basicCredentials(header: string) {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not form-encoded, as curl sends it.
    return text;
  }
}
