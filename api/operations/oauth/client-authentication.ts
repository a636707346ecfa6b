/** Client authentication at the OAuth endpoints: Basic header or form fields (RFC 6749 section 2.3.1), never both. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OauthClient } from '../../../core/oauth/tokens.ts';
import { OauthError } from '../../http/oauth-error.ts';
import type { ApiServices } from '../../services.ts';

export const ClientCredentials = z.object({
  client_id: z.string().optional().describe('With `client_secret`, unless the header has both.'),
  client_secret: z.string().optional(),
});
type ClientCredentials = z.infer<typeof ClientCredentials>;

interface Credentials {
  id: string;
  secret: string;
}

/**
 * @throws OauthError invalid_client, with a Basic challenge when that was tried; 429 after too many failures
 */
export async function authenticateClient(
  request: FastifyRequest,
  form: ClientCredentials,
  { oauth, throttle }: ApiServices,
): Promise<OauthClient> {
  const { authorization } = request.headers;
  const { id, secret } = credentials(authorization, form);
  await throttle.refuseBlocked(id, request.ip);
  // No id we ever made or took has other characters (RFC 6749 appendix A.1).
  const client = /^[\x20-\x7e]+$/.test(id) ? await oauth.authenticate(id, secret) : undefined;
  if (client) return client;
  await throttle.countFailure(id, request.ip);
  throw refusal('The client or its secret is wrong.', authorization);
}

function credentials(authorization: string | undefined, form: ClientCredentials): Credentials {
  const { client_id: id, client_secret: secret } = form;
  if (authorization === undefined) {
    if (id !== undefined && secret !== undefined) return { id, secret };
    throw refusal('Client authentication is missing.', authorization);
  }
  const basic = basicCredentials(authorization);
  if (!basic) throw refusal('The Authorization header is not Basic.', authorization);
  if (secret !== undefined) {
    throw new OauthError('invalid_request', 'Authenticate by the header or by the form, not by both.');
  }
  if (id !== undefined && id !== basic.id) {
    throw new OauthError('invalid_request', 'client_id is not the one of the header.');
  }
  return basic;
}

const refusal = (detail: string, authorization: string | undefined): OauthError =>
  new OauthError('invalid_client', detail, authorization === undefined ? {} : { challenge: 'Basic' });

/** Id and secret are form-encoded before they are joined: the first colon is the one between them. */
export function basicCredentials(header: string): Credentials | undefined {
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
    // Sent as it is, as curl does it.
    return text;
  }
}
