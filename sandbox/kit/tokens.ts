/** Access tokens of simulated systems, with an expiry. */
import { randomBytes } from 'node:crypto';

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
