/** Client authentication at the OAuth endpoints: Basic header or form fields (RFC 6749 section 2.3.1), never both. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OauthClient, OauthStore } from '../core/db/oauth.ts';
import { OauthError } from './oauth-error.ts';

export const ClientCredentials = z.object({
  client_id: z.string({ error: 'must be given once' }).optional(),
  client_secret: z.string({ error: 'must be given once' }).optional(),
});

/** @throws OauthError invalid_client, with a Basic challenge when that was tried */
export async function authenticateClient(
  request: FastifyRequest,
  form: z.infer<typeof ClientCredentials>,
  oauth: OauthStore,
): Promise<OauthClient> {
  const header = request.headers.authorization;
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic && form.client_secret !== undefined) {
    throw new OauthError('invalid_request', 'Authenticate by the header or by the form, not by both.');
  }
  if (basic && form.client_id !== undefined && form.client_id !== basic.id) {
    throw new OauthError('invalid_request', 'client_id is not the one of the header.');
  }
  const id = basic?.id ?? form.client_id;
  const secret = basic?.secret ?? form.client_secret;
  const client = id === undefined || secret === undefined ? undefined : await oauth.authenticate(id, secret);
  if (client) return client;
  const detail =
    secret === undefined ? 'Client authentication is missing.' : 'The client or its secret is wrong.';
  throw new OauthError('invalid_client', detail, header === undefined ? undefined : 'Basic');
}

function basicCredentials(header: string): { id: string; secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  const text = encoded && Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text?.indexOf(':') ?? -1;
  if (!text || colon < 0)
    throw new OauthError('invalid_client', 'The Authorization header is not Basic.', 'Basic');
  return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
}

/** Id and secret are form-encoded before they are put into the header. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
