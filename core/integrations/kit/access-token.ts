/** Keeps an access token of an outside system: asked for once however many calls need it, and renewed before it ends. */

export interface AccessToken {
  value: string;
  /** From when on it must not be used, in ms since 1970. */
  endsAt: number;
}

export interface TokenKeeper {
  current(): Promise<string>;
  /** The system refused the token: the next call asks for another. */
  drop(): void;
}

/** Tokens are renewed this long before their end, so that none ends on the way, in ms. */
const marginMs = 60_000;

export function keepToken(ask: () => Promise<AccessToken>): TokenKeeper {
  let asked: Promise<AccessToken> | undefined;
  let token: AccessToken | undefined;
  return {
    async current() {
      if (token && Date.now() < token.endsAt - marginMs) return token.value;
      asked ??= ask().finally(() => {
        asked = undefined;
      });
      token = await asked;
      return token.value;
    },
    drop() {
      token = undefined;
    },
  };
}
