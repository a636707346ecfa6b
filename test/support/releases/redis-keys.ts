/** Reads Redis keys as JSON and writes them back, independent of the Redis version. */
import type { Redis } from 'ioredis';
import { z } from 'zod';

const Pairs = z.array(z.tuple([z.string(), z.string()]));

export const RedisKey = z.discriminatedUnion('type', [
  z.object({ key: z.string(), type: z.literal('string'), value: z.string() }),
  z.object({ key: z.string(), type: z.literal('list'), value: z.array(z.string()) }),
  z.object({ key: z.string(), type: z.literal('set'), value: z.array(z.string()) }),
  z.object({ key: z.string(), type: z.literal('hash'), value: z.record(z.string(), z.string()) }),
  z.object({ key: z.string(), type: z.literal('zset'), value: Pairs.describe('Member and score.') }),
  z.object({
    key: z.string(),
    type: z.literal('stream'),
    value: z.array(z.tuple([z.string(), z.array(z.string())])).describe('Id, and fields with their values.'),
  }),
]);
export type RedisKey = z.infer<typeof RedisKey>;

export async function readKeys(redis: Redis): Promise<RedisKey[]> {
  const keys = (await redis.keys('*')).sort();
  return await Promise.all(
    keys.map(async key => {
      const type = await redis.type(key);
      return RedisKey.parse({ key, type, value: await readValue(redis, key, type) });
    }),
  );
}

async function readValue(redis: Redis, key: string, type: string): Promise<unknown> {
  switch (type) {
    case 'string':
      return await redis.get(key);
    case 'list':
      return await redis.lrange(key, 0, -1);
    case 'set':
      return await redis.smembers(key);
    case 'hash':
      return await redis.hgetall(key);
    case 'zset':
      return inPairs(await redis.zrange(key, '0', '-1', 'WITHSCORES'));
    case 'stream':
      return await redis.xrange(key, '-', '+');
    default:
      throw new Error(`the key ${key} has the unsupported type ${type}`);
  }
}

export async function writeKeys(redis: Redis, keys: readonly RedisKey[]): Promise<void> {
  for (const one of keys) await writeKey(redis, one);
}

async function writeKey(redis: Redis, one: RedisKey): Promise<void> {
  if (one.type === 'string') await redis.set(one.key, one.value);
  else if (one.type === 'list') await redis.rpush(one.key, ...one.value);
  else if (one.type === 'set') await redis.sadd(one.key, ...one.value);
  else if (one.type === 'hash') await redis.hset(one.key, one.value);
  else if (one.type === 'zset') for (const [member, score] of one.value) await redis.zadd(one.key, score, member);
  else for (const [id, fields] of one.value) await redis.xadd(one.key, id, ...fields);
}

const inPairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((member, index) => (index % 2 === 0 ? [[member, flat[index + 1] ?? '']] : []));
