/** Rate limits of the OAuth endpoints: failed authentications, and issued tokens. */
import { sha256 } from '../../../core/oauth/credentials.ts';
import { exceededLimit, type RateLimits } from '../../../core/rate-limits/rate-limits.ts';
import { OauthError } from '../../http/oauth-error.ts';
import type { OauthThrottle } from '../../services.ts';

/**
 * Maximum failed authentications in `seconds`, per client and address and per address. Secrets have 256 bits; the limits
 * protect the database and expose clients with an old secret.
 */
const maxFailures = { perClient: 10, perAddress: 100, seconds: 300 };

export function createOauthThrottle(limits: RateLimits, tokensPerMinute: number): OauthThrottle {
  const limiter = (name: string, points: number, seconds: number) =>
    limits.limiter({ name: `oauth-${name}`, points, seconds, withoutRedis: 'postgres' });
  const perClient = limiter('client', maxFailures.perClient, maxFailures.seconds);
  const perAddress = limiter('address', maxFailures.perAddress, maxFailures.seconds);
  const tokens = limiter('tokens', tokensPerMinute, 60);
  // Hashed, because an id may have any length and characters.
  const pairKey = (clientId: string, address: string) => sha256(`${address} ${clientId}`);

  return {
    async rejectBlocked(clientId, address) {
      const counts = await Promise.all([perClient.get(pairKey(clientId, address)), perAddress.get(address)]);
      const blocked = [perClient, perAddress].flatMap((each, index) => {
        const count = counts[index];
        return count && count.consumedPoints >= each.points ? [count.msBeforeNext] : [];
      });
      if (blocked.length > 0) throw tooMany('Too many authentications failed', Math.max(...blocked));
    },

    async countFailure(clientId, address) {
      await Promise.all([exceededLimit(perClient, pairKey(clientId, address)), exceededLimit(perAddress, address)]);
    },

    async countToken(clientId, address) {
      const exceeded = await exceededLimit(tokens, pairKey(clientId, address));
      if (exceeded) throw tooMany('Too many tokens: use each until it expires', exceeded.msBeforeNext);
    },
  };
}

function tooMany(what: string, waitMs: number): OauthError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new OauthError('temporarily_unavailable', `${what}; try again in ${retryAfterSeconds} seconds.`, {
    tooMany: true,
    retryAfterSeconds,
  });
}
