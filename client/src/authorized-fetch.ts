/** A fetch that sends an access token, and a new one when the service does not know the first any more. */
import type { AccessTokens } from './access-token.ts';
import { unlessAborted } from './pause.ts';

export function authorizedFetch(
  fetch: typeof globalThis.fetch,
  tokens: AccessTokens,
): typeof globalThis.fetch {
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
