/** Counters of rate limits: in Redis when there is one, shared by all processes; else wherever the limit says. */
import { Redis } from 'ioredis';
import type pg from 'pg';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
} from 'rate-limiter-flexible';

export interface Limit {
  name: string;
  points: number;
  /** The window, which begins with a key's first point. */
  seconds: number;
  /**
   * Without Redis. `postgres`: shared by all processes, at the price of a write each time. `memory`: each process
   * counts for itself, which costs nothing.
   */
  withoutRedis: 'postgres' | 'memory';
}

export interface RateLimits {
  /** While the store is away, each process counts for itself. */
  limiter(limit: Limit): RateLimiterAbstract;
  close(): void;
}

export interface RateLimitStores {
  redisUrl: string | undefined;
  pool: pg.Pool;
  /** Separates installations, and tests, that share one Redis. */
  prefix?: string;
}

export function openRateLimits(
  { redisUrl, pool, prefix = 'portal' }: RateLimitStores,
  logger: Logger,
): RateLimits {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, logger);
  return {
    limiter({ name, points, seconds, withoutRedis }) {
      const own = { points, duration: seconds, keyPrefix: name };
      if (!redis && withoutRedis === 'memory') return new RateLimiterMemory(own);
      // Who is over the limit is refused without asking the store again.
      const shared = {
        ...own,
        insuranceLimiter: new RateLimiterMemory(own),
        inMemoryBlockOnConsumed: points + 1,
      };
      return redis
        ? new RateLimiterRedis({
            ...shared,
            keyPrefix: `${prefix}:${name}`,
            storeClient: redis,
            rejectIfRedisNotReady: true,
          })
        : new RateLimiterPostgres({
            ...shared,
            storeClient: pool,
            storeType: 'pool',
            tableName: 'rate_limit',
            tableCreated: true,
          });
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
