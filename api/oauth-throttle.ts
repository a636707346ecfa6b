/** Slows down who guesses client secrets, and who asks for tokens in a loop; counted for all API processes together. */
import { Redis } from 'ioredis';
import type pg from 'pg';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { sha256 } from '../core/credentials.ts';
import { OauthError } from './oauth-error.ts';

/**
 * Failed authentications within `seconds`. A secret of 256 bits is not guessed anyhow: this spares the database, and
 * makes a client with an old secret easy to see. The second bound is for one address that tries many clients.
 */
const failures = { ofClient: 10, ofAddress: 100, seconds: 300 };

export interface OauthThrottle {
  /** @throws OauthError 429 when too many authentications of this client from this address failed lately */
  refuseBlocked(clientId: string, address: string): Promise<void>;
  countFailure(clientId: string, address: string): Promise<void>;
  /** @throws OauthError 429 when this client got too many tokens from this address within a minute */
  countToken(clientId: string, address: string): Promise<void>;
  close(): void;
}

export interface ThrottleOptions {
  tokensPerMinute: number;
  /** Where the counts are kept, when given; else in PostgreSQL. While it is away, each process counts for itself. */
  redisUrl: string | undefined;
  pool: pg.Pool;
  /** Separates installations, and tests, that share one Redis. */
  prefix?: string;
}

type Counters = { redis: Redis; prefix: string } | { pool: pg.Pool };

export function openOauthThrottle(options: ThrottleOptions, logger: Logger): OauthThrottle {
  const { tokensPerMinute, redisUrl, pool, prefix = 'portal' } = options;
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, logger);
  const counters = redis ? { redis, prefix } : { pool };
  const ofClient = limiter(counters, 'client', failures.ofClient, failures.seconds);
  const ofAddress = limiter(counters, 'address', failures.ofAddress, failures.seconds);
  const tokens = limiter(counters, 'tokens', tokensPerMinute, 60);
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

    close: () => redis?.disconnect(),
  };
}

/** Fails at once while Redis is away, so that no request waits for it. */
function connect(url: string, logger: Logger): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  redis.on('error', error => logger.warn({ err: error }, 'the rate limits lost their connection to Redis'));
  return redis;
}

function limiter(counters: Counters, what: string, points: number, duration: number): RateLimiterAbstract {
  const limits = { points, duration, keyPrefix: `oauth-${what}` };
  const insured = { ...limits, insuranceLimiter: new RateLimiterMemory(limits) };
  if ('pool' in counters) {
    return new RateLimiterPostgres({
      ...insured,
      storeClient: counters.pool,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
    });
  }
  return new RateLimiterRedis({
    ...insured,
    keyPrefix: `${counters.prefix}:${limits.keyPrefix}`,
    storeClient: counters.redis,
    rejectIfRedisNotReady: true,
  });
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
