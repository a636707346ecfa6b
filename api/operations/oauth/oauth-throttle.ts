/**
 * Rate limits of wrong credentials and of issued tokens. Callers check the credentials first: valid ones always succeed,
 * and each wrong one is counted once, so concurrent attempts cannot exceed the limit.
 */
import { sha256 } from '../../../core/oauth/credentials.ts';
import { exceededLimit, type RateLimits } from '../../../core/rate-limits/rate-limits.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { OauthError } from '../../http/oauth-error.ts';
import type { Throttle } from '../../services.ts';

/** Maximum failures in `seconds`: of a client at an address, of any clients at an address, of operators at an address. */
const maxFailures = { perClient: 10, perAddress: 100, ofOperators: 20, seconds: 300 };

export function createOauthThrottle(limits: RateLimits, tokensPerMinute: number): Throttle {
  const limiter = (name: string, points: number, seconds: number) =>
    limits.limiter({ name: `oauth-${name}`, points, seconds, withoutRedis: 'postgres' });
  const perClient = limiter('client', maxFailures.perClient, maxFailures.seconds);
  const perAddress = limiter('address', maxFailures.perAddress, maxFailures.seconds);
  const tokens = limiter('tokens', tokensPerMinute, 60);
  const operators = limits.limiter({
    name: 'ops-login',
    points: maxFailures.ofOperators,
    seconds: maxFailures.seconds,
    // The login works while the database is down.
    withoutRedis: 'memory',
  });
  // Hashed, because an id may have any length and characters.
  const pairKey = (clientId: string, address: string) => sha256(`${address} ${clientId}`);

  return {
    async countFailure(clientId, address) {
      const exceeded = await Promise.all([
        exceededLimit(perClient, pairKey(clientId, address)),
        exceededLimit(perAddress, address),
      ]);
      const waits = exceeded.flatMap(count => count?.msBeforeNext ?? []);
      if (waits.length > 0) throw tooMany('Too many authentications failed', Math.max(...waits));
    },

    async countToken(clientId, address) {
      const exceeded = await exceededLimit(tokens, pairKey(clientId, address));
      if (exceeded) throw tooMany('Too many tokens: use each until it expires', exceeded.msBeforeNext);
    },

    async countOperator(address) {
      const exceeded = await exceededLimit(operators, address);
      if (!exceeded) return;
      throw new ServiceError('too-many-requests', 'Too many failed logins from this address; try again later.', {
        retryAfterSeconds: secondsOf(exceeded.msBeforeNext),
      });
    },
  };
}

function tooMany(what: string, waitMs: number): OauthError {
  const retryAfterSeconds = secondsOf(waitMs);
  return new OauthError('temporarily_unavailable', `${what}; try again in ${retryAfterSeconds} seconds.`, {
    tooMany: true,
    retryAfterSeconds,
  });
}

const secondsOf = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1_000));
