/** Counters of rate limits: in Redis, shared by all processes; without Redis, where the limit specifies. */
import type pg from 'pg';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { connectRedis, type RedisAddress } from '../redis/connection.ts';

export interface Limit {
  name: string;
  points: number;
  /** Length of the window, which begins with a key's first point. */
  seconds: number;
  /**
   * Counter without Redis. `postgres`: shared by all processes, with one write for each request. `memory`: one for each
   * process.
   */
  withoutRedis: 'postgres' | 'memory';
  /** Points may be given back (`reward`), so each refused request asks the store again. */
  givesBack?: boolean;
}

export interface RateLimitStores {
  redis: RedisAddress | undefined;
  pool: pg.Pool;
  /** Separates installations and tests that share one Redis. */
  prefix?: string;
}

export type RateLimits = ReturnType<typeof openRateLimits>;

export function openRateLimits({ redis: address, pool, prefix = 'portal' }: RateLimitStores, logger: Logger) {
  const redis = address && connect(address, logger);
  const names = new Set<string>();
  return {
    /**
     * While the store is down, each process counts alone. A limiter has timers that never end: build each once, at start.
     * @throws Error for a second limiter of the same name
     */
    limiter({ name, points, seconds, withoutRedis, givesBack = false }: Limit): RateLimiterAbstract {
      if (names.has(name)) throw new Error(`There is a rate limit "${name}" already: build it once, at start.`);
      names.add(name);
      const own = { points, duration: seconds, keyPrefix: name };
      if (!redis && withoutRedis === 'memory') return new RateLimiterMemory(own);
      // A client over its limit is rejected without another query.
      const shared = {
        ...own,
        insuranceLimiter: new RateLimiterMemory(own),
        inMemoryBlockOnConsumed: givesBack ? 0 : points + 1,
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

/** Counts points. @returns the counter, and whether it exceeds the limit */
export const countPoint = (limiter: RateLimiterAbstract, key: string, points = 1) =>
  limiter.consume(key, points).then(
    count => ({ count, isExceeded: false }),
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return { count: error, isExceeded: true };
      throw error;
    },
  );

/** Counts a point. @returns the counter when the limit is exceeded */
export async function exceededLimit(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes | undefined> {
  const { count, isExceeded } = await countPoint(limiter, key);
  return isExceeded ? count : undefined;
}

/** Fails at once while Redis is down, so that no request waits for it. */
function connect(address: RedisAddress, logger: Logger) {
  const redis = connectRedis(address, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  return redis.on('error', error => logger.warn({ err: error }, 'the rate limits lost their connection to Redis'));
}
