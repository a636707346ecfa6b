/** Counters of rate limits in memory, in PostgreSQL, and while their store is down. The stores are simulated. */
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  countPoint,
  exceededLimit,
  type Limit,
  openRateLimits,
  type RateLimitStores,
} from '../../../../core/rate-limits/rate-limits.ts';
import { logLines } from '../../../support/log-lines.ts';

const silent = pino({ level: 'silent' });
const limit: Limit = { name: 'logins', points: 2, seconds: 60, withoutRedis: 'postgres' };

/** A pool that counts one key. @param isDown whether its queries fail */
function poolOf({ isDown = false } = {}) {
  let points = 0;
  const query = vi.fn(async ({ values }: { values: unknown[] }) => {
    if (isDown) throw new Error('the database is down');
    points += 1;
    return { rows: [{ points, expire: Date.now() + 60_000 }], values };
  });
  return { query, pool: Object.assign(new pg.Pool(), { query }) };
}
const unused = () => poolOf({ isDown: true }).pool;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
function open(stores: RateLimitStores, logger = silent) {
  const limits = openRateLimits(stores, logger);
  closing.push(() => limits.close());
  return limits;
}

/** Whether each of three points of a key exceeds the limit. */
async function exceeded(limits: ReturnType<typeof openRateLimits>, change: Partial<Limit> = {}) {
  const limiter = limits.limiter({ ...limit, ...change });
  const counted = [];
  for (let point = 0; point < 3; point += 1) counted.push((await countPoint(limiter, 'key')).isExceeded);
  return counted;
}

describe('a limit in memory', () => {
  const memory = { withoutRedis: 'memory' as const };

  it('counts each key, and starts again after its window', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const limiter = open({ redis: undefined, pool: unused() }).limiter({ ...limit, ...memory });
    const first = await countPoint(limiter, 'key');
    expect(first).toMatchObject({
      isExceeded: false,
      count: { consumedPoints: 1, remainingPoints: 1, msBeforeNext: 60_000 },
    });
    await countPoint(limiter, 'key');
    expect(await countPoint(limiter, 'key')).toMatchObject({ isExceeded: true, count: { consumedPoints: 3 } });
    expect(await exceededLimit(limiter, 'other')).toBeUndefined();
    expect(await exceededLimit(limiter, 'key')).toMatchObject({ consumedPoints: 4 });
    vi.useRealTimers();
  });

  it('needs no store', async () => {
    const { pool, query } = poolOf();
    expect(await exceeded(open({ redis: undefined, pool }), memory)).toEqual([false, false, true]);
    expect(query).not.toHaveBeenCalled();
  });
});

describe('a limit in PostgreSQL', () => {
  it('is counted there, by its name and key, until it is exceeded', async () => {
    const { pool, query } = poolOf();
    const limits = open({ redis: undefined, pool });
    const limiter = limits.limiter(limit);
    expect(await exceeded({ ...limits, limiter: () => limiter })).toEqual([false, false, true]);
    expect(query.mock.calls.map(([{ values }]) => values[0])).toEqual(Array(3).fill('logins:key'));
    expect((await countPoint(limiter, 'key')).isExceeded).toBe(true);
    expect(query).toHaveBeenCalledTimes(3);
  });

  it('is counted by this process alone while the database is down', async () =>
    expect(await exceeded(open({ redis: undefined, pool: unused() }))).toEqual([false, false, true]));
});

describe('a limit whose points are given back', () => {
  it('asks the store again for a key that was over it', async () => {
    const { pool, query } = poolOf();
    const limiter = open({ redis: undefined, pool }).limiter({ ...limit, givesBack: true });
    for (let point = 0; point < 4; point += 1) await countPoint(limiter, 'key');
    expect(query).toHaveBeenCalledTimes(4);
  });
});

it('a limit is built once: a second one of the same name is an error', () => {
  const limits = open({ redis: undefined, pool: poolOf().pool });
  limits.limiter(limit);
  expect(() => limits.limiter({ ...limit, points: 5 })).toThrow(
    'There is a rate limit "logins" already: build it once, at start.',
  );
  expect(() => limits.limiter({ ...limit, name: 'others' })).not.toThrow();
});

describe('a limit in Redis', () => {
  const redis = { setting: 'REDIS_URL', host: '127.0.0.1:1', url: 'redis://127.0.0.1:1' } as const;

  it.each(['postgres', 'memory'] as const)(
    'is counted by this process alone while Redis is down (%s)',
    async withoutRedis => {
      const { logger, lines } = logLines('warn');
      const { pool, query } = poolOf();
      expect(await exceeded(open({ redis, pool, prefix: 'test' }, logger), { withoutRedis })).toEqual([
        false,
        false,
        true,
      ]);
      expect(query).not.toHaveBeenCalled();
      await expect.poll(lines).toContainEqual(
        expect.objectContaining({
          level: 40,
          msg: 'the rate limits lost their connection to Redis',
          err: expect.objectContaining({ code: 'ECONNREFUSED' }),
        }),
      );
    },
  );
});

it('an error of the counter itself is not an exceeded limit', async () => {
  const limiter = open({ redis: undefined, pool: unused() }).limiter({ ...limit, withoutRedis: 'memory' });
  const broken = Object.assign(limiter, { consume: () => Promise.reject(new Error('broken')) });
  await expect(countPoint(broken, 'key')).rejects.toThrow('broken');
});
