/** Has an access token at hand: fetched once for all who wait for it, and again before it expires. */
import { PortalProblem, problemOf } from './portal-problem.ts';

export interface Credentials {
  clientId: string;
  clientSecret: string;
  /** Fewer than the client has; absent: all of them. */
  scopes?: readonly string[];
}

export interface AccessTokens {
  /** @throws PortalProblem when the credentials are refused */
  token(): Promise<string>;
  /** The service does not know this one any more: it was revoked, or the service was set up anew. */
  forget(token: string): void;
}

interface Token {
  value: string;
  /** In ms since 1970. */
  renewAt: number;
}

/** A token is renewed when this part of its life is over, so that none expires on its way. */
const usedShare = 0.9;

/** @param fetch asks again by itself while the service is busy */
export function accessTokens(
  baseUrl: string,
  credentials: Credentials,
  fetch: typeof globalThis.fetch,
): AccessTokens {
  let held: Token | undefined;
  let flight: Promise<Token> | undefined;

  const issue = async (): Promise<Token> => {
    const { clientId, clientSecret, scopes } = credentials;
    const asked = Date.now();
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basicCredentials(clientId, clientSecret)}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scopes && { scope: scopes.join(' ') }),
      }),
    });
    if (!response.ok) throw await problemOf(response);
    const { access_token: value, expires_in: seconds } = tokenAnswer(await response.json());
    held = { value, renewAt: asked + seconds * 1_000 * usedShare };
    return held;
  };

  return {
    async token() {
      if (held && Date.now() < held.renewAt) return held.value;
      flight ??= issue().finally(() => {
        flight = undefined;
      });
      return (await flight).value;
    },
    forget(value) {
      if (held?.value === value) held = undefined;
    },
  };
}

/** RFC 6749 section 2.3.1: form-encoded before they are put together. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map(part => new URLSearchParams([['', part]]).toString().slice(1));
  return btoa(encoded.join(':'));
}

function tokenAnswer(body: unknown): { access_token: string; expires_in: number } {
  if (typeof body === 'object' && body !== null && 'access_token' in body && 'expires_in' in body) {
    const { access_token, expires_in } = body;
    if (typeof access_token === 'string' && typeof expires_in === 'number')
      return { access_token, expires_in };
  }
  throw new PortalProblem({
    type: 'about:blank',
    title: 'No token',
    status: 200,
    detail:
      'The token endpoint answered something else than a token: is baseUrl the address of Portal Service?',
  });
}
