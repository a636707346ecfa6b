/** Caches a vendor's access token: concurrent calls share one request for it, and it is renewed before it expires. */

export interface AccessToken {
  value: string;
  /** In ms since 1970. */
  expiresAt: number;
}

/** So that no token expires while a request is in flight. */
const renewBeforeMs = 60_000;

export function cacheToken(fetchToken: () => Promise<AccessToken>) {
  let pending: Promise<AccessToken> | undefined;
  let token: AccessToken | undefined;
  return {
    async get(): Promise<string> {
      if (token && Date.now() < token.expiresAt - renewBeforeMs) return token.value;
      pending ??= fetchToken().finally(() => {
        pending = undefined;
      });
      token = await pending;
      return token.value;
    },
    /** Called when the vendor rejects the token: the next call fetches another. */
    invalidate(): void {
      token = undefined;
    },
  };
}
