/** Access tokens of the listing portal: bought with an API key and its secret, dead after their time. */
import { randomBytes } from 'node:crypto';

/** Forty and thirty-two characters, as the real ones have. */
export const sandboxApiKey = 'sandbox'.padEnd(40, '0');
export const sandboxApiSecret = 'sandbox'.padEnd(32, '0');

export interface Tokens {
  issue(seconds: number): string;
  isAlive(token: string): boolean;
  reset(): void;
}

export function createTokens(): Tokens {
  const endings = new Map<string, number>();
  return {
    issue(seconds) {
      const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
      const token = `${header}.${randomBytes(48).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
      endings.set(token, performance.now() + seconds * 1000);
      return token;
    },
    isAlive: token => (endings.get(token) ?? 0) > performance.now(),
    reset: () => endings.clear(),
  };
}
