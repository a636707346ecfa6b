/** Access tokens of the listing portal: issued for an API key and secret, with an expiry. */
import { randomBytes } from 'node:crypto';

/** 40 and 32 characters, as the vendor's. */
export const sandboxApiKey = 'sandbox'.padEnd(40, '0');
export const sandboxApiSecret = 'sandbox'.padEnd(32, '0');

export interface Tokens {
  issue(seconds: number): string;
  isValid(token: string): boolean;
  reset(): void;
}

export function createTokens(): Tokens {
  const expiries = new Map<string, number>();
  return {
    issue(seconds) {
      const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
      const token = `${header}.${randomBytes(48).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
      expiries.set(token, performance.now() + seconds * 1000);
      return token;
    },
    isValid: token => (expiries.get(token) ?? 0) > performance.now(),
    reset: () => expiries.clear(),
  };
}
