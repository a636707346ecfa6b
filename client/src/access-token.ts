/** Access tokens: requested once for concurrent callers, renewed before they expire, sent with each request. */

import { unlessAborted } from './abortable.ts';
import { PortalProblem, problemOf } from './portal-problem.ts';

export interface Credentials {
  clientId: string;
  clientSecret: string;
  /** A subset of the client's scopes; default: all of them. */
  scopes?: readonly string[];
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

/** @param fetch must retry while the service is busy */
export function accessTokens(baseUrl: string, credentials: Credentials, fetch: typeof globalThis.fetch): AccessTokens {
  let current: Token | undefined;
  let pending: Promise<Token> | undefined;

  const issue = async (): Promise<Token> => {
    const { clientId, clientSecret, scopes } = credentials;
    const requestedAt = Date.now();
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basicCredentials(clientId, clientSecret)}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scopes && { scope: scopes.join(' ') }),
      }),
    });
    if (!response.ok) throw await problemOf(response);
    const { access_token: value, expires_in: seconds } = parseToken(await response.json());
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
  throw new PortalProblem({
    type: 'about:blank',
    title: 'No token',
    status: 200,
    detail:
      'The response of the token endpoint contains no token. Check that baseUrl is the address of Portal Service.',
  });
}

/** Wraps a fetch: adds an access token, and retries once with a new token after a 401. */
export function authorizedFetch(fetch: typeof globalThis.fetch, tokens: AccessTokens): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const token = await unlessAborted(tokens.token(), request.signal);
    const response = await fetch(withToken(request.clone(), token));
    if (response.status !== 401) return response;
    tokens.forget(token);
    const renewed = await unlessAborted(tokens.token(), request.signal);
    await response.body?.cancel();
    return fetch(withToken(request, renewed));
  };
}

function withToken(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
