/** Slows down who guesses client secrets, and who asks for tokens in a loop. */
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { sha256 } from '../../../core/oauth/credentials.ts';
import type { RateLimits } from '../../../core/rate-limits/rate-limits.ts';
import { OauthError } from '../../http/oauth-error.ts';
import type { OauthThrottle } from '../../services.ts';

/**
 * Failed authentications within `seconds`. A secret of 256 bits is not guessed anyhow: this spares the database, and
 * makes a client with an old secret easy to see. The second bound is for one address that tries many clients.
 */
const failures = { ofClient: 10, ofAddress: 100, seconds: 300 };

export function createOauthThrottle(limits: RateLimits, tokensPerMinute: number): OauthThrottle {
  const limiter = (name: string, points: number, seconds: number) =>
    limits.limiter({ name: `oauth-${name}`, points, seconds, withoutRedis: 'postgres' });
  const ofClient = limiter('client', failures.ofClient, failures.seconds);
  const ofAddress = limiter('address', failures.ofAddress, failures.seconds);
  const tokens = limiter('tokens', tokensPerMinute, 60);
  // An id may have any length and any characters.
  const pair = (clientId: string, address: string) => sha256(`${address} ${clientId}`);

  return {
    async refuseBlocked(clientId, address) {
      const counts = await Promise.all([ofClient.get(pair(clientId, address)), ofAddress.get(address)]);
      const blocked = [ofClient, ofAddress].flatMap((each, index) => {
        const count = counts[index];
        return count && count.consumedPoints >= each.points ? [count.msBeforeNext] : [];
      });
      if (blocked.length > 0) throw tooMany('Too many authentications failed', Math.max(...blocked));
    },

    async countFailure(clientId, address) {
      await Promise.all([count(ofClient, pair(clientId, address)), count(ofAddress, address)]);
    },

    async countToken(clientId, address) {
      const over = await count(tokens, pair(clientId, address));
      if (over) throw tooMany('Too many tokens: use each until it expires', over.msBeforeNext);
    },
  };
}

/** Says when the limit was passed, and how long to wait. */
async function count(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes | undefined> {
  try {
    await limiter.consume(key);
    return undefined;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

function tooMany(what: string, waitMs: number): OauthError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new OauthError('temporarily_unavailable', `${what}; try again in ${retryAfterSeconds} seconds.`, {
    tooMany: true,
    retryAfterSeconds,
  });
}
