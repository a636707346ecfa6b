/** Access tokens: requested once for concurrent callers, renewed before they expire, sent with each request. */

import { unlessAborted } from './abortable.ts';
import { UnexpectedAnswer } from './errors.ts';
import { problemOf } from './portal-problem.ts';
import type { Send, Transport } from './transport.ts';

export interface ClientCredentials {
  /** The id of a client with OAuth 2.0 client credentials. Keep the secret on a server. */
  clientId: string;
  clientSecret: string;
  /** A subset of the client's scopes; default: all of them. */
  scopes?: readonly string[];
}

export interface TokenSource {
  /** Returns a live access token, for instance from your own server; called for each request, and again after a 401. */
  token(): string | Promise<string>;
}

export interface AccessTokens {
  /** @throws PortalProblem when the credentials are rejected */
  token(): Promise<string>;
  /** Discards a token that the service rejected, such as a revoked one. */
  forget(token: string): void;
}

interface Token {
  value: string;
  /** In ms since 1970. */
  renewAt: number;
}

/** A token is renewed after this share of its lifetime, so that it does not expire during a request. */
const renewAfterShare = 0.9;

/** The caller owns the tokens, so none is kept. */
export const tokensOf = ({ token }: TokenSource): AccessTokens => ({
  token: async () => await token(),
  forget: () => undefined,
});

/** @param send must retry while the service is busy */
export function accessTokens(baseUrl: string, credentials: ClientCredentials, send: Send): AccessTokens {
  let current: Token | undefined;
  let pending: Promise<Token> | undefined;

  const issue = async (): Promise<Token> => {
    const { clientId, clientSecret, scopes } = credentials;
    const requestedAt = Date.now();
    const form = { grant_type: 'client_credentials', ...(scopes && { scope: scopes.join(' ') }) };
    const request = new Request(`${baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basicCredentials(clientId, clientSecret)}` },
      body: new URLSearchParams(form),
    });
    const response = await send(request);
    if (!response.ok) throw await problemOf(response);
    const { access_token: value, expires_in: seconds } = parseToken(await response.json().catch(() => undefined));
    current = { value, renewAt: requestedAt + seconds * 1_000 * renewAfterShare };
    return current;
  };

  return {
    async token() {
      if (current && Date.now() < current.renewAt) return current.value;
      pending ??= issue().finally(() => {
        pending = undefined;
      });
      return (await pending).value;
    },
    forget(value) {
      if (current?.value === value) current = undefined;
    },
  };
}

/** RFC 6749 section 2.3.1: each part is form-encoded, then joined with a colon. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map(part => new URLSearchParams([['', part]]).toString().slice(1));
  return btoa(encoded.join(':'));
}

function parseToken(body: unknown): { access_token: string; expires_in: number } {
  if (typeof body === 'object' && body !== null && 'access_token' in body && 'expires_in' in body) {
    const { access_token, expires_in } = body;
    if (typeof access_token === 'string' && typeof expires_in === 'number') return { access_token, expires_in };
  }
  throw new UnexpectedAnswer(
    'The answer of the token endpoint contains no token. Check that "baseUrl" is the address of Portal Service.',
  );
}

/** Adds an access token, and retries once with a new token after a 401. */
export function authorized(transport: Transport, tokens: AccessTokens): Transport {
  return async sending => {
    const { request, isAnonymous } = sending;
    if (isAnonymous) return transport(sending);
    const token = await unlessAborted(tokens.token(), request.signal);
    const response = await transport({ ...sending, request: withToken(request.clone(), token) });
    if (response.status !== 401) return response;
    tokens.forget(token);
    const renewed = await unlessAborted(tokens.token(), request.signal);
    if (renewed === token) return response;
    await response.body?.cancel();
    return transport({ ...sending, request: withToken(request, renewed) });
  };
}

function withToken(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
