/** Redis, when the queues use it: it must not evict keys, and must keep its data over a restart. */
import { Cluster } from 'ioredis';
import { QueueConfig } from '../../jobs/config.ts';
import { connectRedis, type RedisAddress, redisAddress } from '../../redis/connection.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { defineCheck, errorText } from '../check.ts';

/** The oldest version that BullMQ supports. */
const minimumVersion = [6, 2] as const;

export default defineCheck({
  name: 'redis',
  onTimeout: 'check whether Redis is busy or blocked (redis-cli --latency), or a firewall drops its packets',
  async run({ read }) {
    const address = redisAddress(read(QueueConfig));
    if (!address) return ok('not set: the queues are in PostgreSQL');
    const startedAt = performance.now();
    try {
      const servers = await readRedisInfo(address);
      const ms = Math.round(performance.now() - startedAt);
      const memory = servers.map(info => info.get('used_memory_human')).join(', ');
      const version = servers[0]?.get('redis_version');
      return [ok(`Redis ${version} at ${address.host}, ${memory}, ${ms} ms`), ...servers.flatMap(problemsIn(address))];
    } catch (error) {
      return connectionFailure(error, address);
    }
  },
});

/** The fields of the command INFO. */
type RedisInfo = ReadonlyMap<string, string>;

/** The state of each server that accepts writes. @throws errors of Redis or the network */
export async function readRedisInfo(address: RedisAddress): Promise<RedisInfo[]> {
  const redis = connectRedis(address, {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  let connectionError: unknown;
  redis.on('error', error => {
    connectionError = error;
  });
  try {
    await redis.connect();
    const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
    return await Promise.all(servers.map(async server => parseInfo(await server.info())));
  } catch (error) {
    // The error of the command says only that the connection is closed.
    throw connectionError ?? error;
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

function connectionFailure(error: unknown, { setting }: RedisAddress): CheckFinding {
  const text = errorText(error);
  if (/WRONGPASS|NOAUTH|invalid password/i.test(text)) {
    const settings = setting === 'REDIS_URL' ? setting : 'REDIS_USERNAME and REDIS_PASSWORD';
    return failure('Redis rejects the login', `correct user and password in ${settings}`);
  }
  if (/NOPERM/.test(text))
    return failure('the Redis user may not run INFO', 'allow it: ACL SETUSER <user> +info +@all');
  return failure(`cannot connect to Redis (${codeOf(error) || text})`, `start it, or correct ${setting}`);
}

const problemsIn = (address: RedisAddress) => (info: RedisInfo) => [...problemsOf(info, address)];

function* problemsOf(info: RedisInfo, { setting }: RedisAddress): Generator<CheckFinding> {
  const version = info.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor, minMinor] = minimumVersion;
  if (major < minMajor || (major === minMajor && minor < minMinor))
    yield failure(`Redis ${version} is too old`, `use Redis ${minimumVersion.join('.')} or later`);

  if (setting !== 'REDIS_URL' && info.get('connected_slaves') === '0')
    yield warning('a Redis server has no replica: its queues stop when it fails', 'add a replica to each server');

  if (info.get('role') === 'slave')
    yield failure('Redis is a replica, which accepts no writes', 'set REDIS_URL to the primary');

  const policy = evictionPolicy(info);
  if (policy !== 'noeviction')
    yield failure(`Redis evicts keys (maxmemory-policy ${policy})`, 'set maxmemory-policy noeviction');

  if (info.get('aof_enabled') !== '1')
    yield warning(
      'Redis has no append-only file: a restart loses messages of the last minutes, and their jobs are delayed',
      'set appendonly yes',
    );
  else if (info.get('aof_last_write_status') === 'err')
    yield failure('Redis cannot write its append-only file', 'check its log, for example for a full disk');

  const [used, max] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))];
  if (max > 0 && used >= 0.9 * max)
    yield warning(`Redis uses ${Math.round((100 * used) / max)} % of its memory`, 'raise maxmemory');
}
