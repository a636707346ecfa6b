/** Client authentication of the OAuth endpoints: Basic header or form fields (RFC 6749 section 2.3.1), not both. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OauthClient } from '../../../core/oauth/tokens.ts';
import { OauthError } from '../../http/oauth-error.ts';
import type { ApiServices } from '../../services.ts';

export const ClientCredentials = z.object({
  client_id: z.string().optional().describe('With `client_secret`, unless the Authorization header has both.'),
  client_secret: z.string().optional().describe('With `client_id`.'),
});
type ClientCredentials = z.infer<typeof ClientCredentials>;

/** A request about a token. */
export const TokenInput = z.object({
  token: z
    .string({ error: 'is required' })
    .meta({ examples: ['access_1mB0aVnT…'] })
    .describe('The access token.'),
  token_type_hint: z.string().optional().describe('Ignored: all tokens are access tokens.'),
  ...ClientCredentials.shape,
});

type Login = { id: string; secret: string };

/** @throws OauthError invalid_client, with a Basic challenge if the request has the header; 429 after too many failures */
export async function authenticateClient(
  request: FastifyRequest,
  form: ClientCredentials,
  { oauth, throttle }: ApiServices,
): Promise<OauthClient> {
  const { authorization } = request.headers;
  const logins = credentials(authorization, form);
  // Client ids have no other characters (RFC 6749 appendix A.1).
  const possible = logins.filter(({ id }) => /^[\x20-\x7e]+$/.test(id));
  // All are checked, so that the time does not depend on the one that is right.
  const clients = await Promise.all(possible.map(({ id, secret }) => oauth.authenticate(id, secret)));
  const client = clients.find(found => found !== undefined);
  if (client) return client;
  await throttle.countFailure(logins[0]?.id ?? '', request.ip);
  throw invalidClient('The client id or its secret is wrong.', authorization);
}

function credentials(authorization: string | undefined, form: ClientCredentials): Login[] {
  const { client_id: id, client_secret: secret } = form;
  if (authorization === undefined) {
    if (id !== undefined && secret !== undefined) return [{ id, secret }];
    throw invalidClient(
      'Client authentication is missing: send a Basic header, or client_id and client_secret.',
      authorization,
    );
  }
  const basic = basicCredentials(authorization);
  if (basic.length === 0) throw invalidClient('The Authorization header must be Basic.', authorization);
  if (secret !== undefined) {
    throw new OauthError(
      'invalid_request',
      'Authenticate with the Authorization header or with the form, not with both.',
    );
  }
  const logins = basic.filter(login => id === undefined || login.id === id);
  if (logins.length > 0) return logins;
  throw new OauthError('invalid_request', 'client_id differs from the Authorization header.');
}

const invalidClient = (detail: string, authorization: string | undefined): OauthError =>
  new OauthError('invalid_client', detail, authorization === undefined ? {} : { challenge: 'Basic' });

/**
 * Id and secret are form-encoded (RFC 6749 section 2.3.1), so the first colon separates them. curl and many libraries do not
 * encode them: as sent, they are the second possibility, if they differ. Empty for an invalid header.
 */
export function basicCredentials(header: string): Login[] {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)];
  const decoded = { id: formDecode(id), secret: formDecode(secret) };
  return decoded.id === id && decoded.secret === secret ? [decoded] : [decoded, { id, secret }];
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
