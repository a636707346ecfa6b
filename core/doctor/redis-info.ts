/** What Redis says of itself (its command INFO). */
import { Redis } from 'ioredis';

export type RedisInfo = ReadonlyMap<string, string>;

/** @throws what Redis or the network says */
export async function readRedisInfo(url: string): Promise<RedisInfo> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  let lost: unknown;
  redis.on('error', error => {
    lost = error;
  });
  try {
    await redis.connect();
    return parseInfo(await redis.info());
  } catch (error) {
    // The command itself knows only that there is no connection.
    throw lost ?? error;
  } finally {
    redis.disconnect();
  }
}

const parseInfo = (text: string): RedisInfo =>
  new Map(
    text.split('\r\n').flatMap(line => {
      const [, name, value] = /^(\w+):(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );

export const evictionPolicy = (info: RedisInfo): string => info.get('maxmemory_policy') ?? 'unknown';
