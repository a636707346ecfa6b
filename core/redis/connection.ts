/** Where Redis or Valkey is (one server, a Sentinel set or a Cluster), and connections to it. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { z } from 'zod';
import { ConfigurationError, commaSeparated, trueOrFalse } from '../runtime/config.ts';

const nodes = z
  .string()
  .transform(commaSeparated)
  .pipe(
    z.array(z.string().regex(/^(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i, 'must be a list like host:6379,host:6380')).min(1),
  )
  .transform(list => list.map(text => text.replace(/[[\]]/g, '')).map(nodeOf));

/** At most one of REDIS_URL, REDIS_CLUSTER and REDIS_SENTINELS. */
export const RedisConfig = z.object({
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe('Queues on Redis, such as redis://host:6379; unset: queues in PostgreSQL.'),
  REDIS_CLUSTER: nodes
    .optional()
    .describe('Instead of REDIS_URL: some nodes of a Redis Cluster, as host:port,host:port.'),
  REDIS_SENTINELS: nodes
    .optional()
    .describe('Instead of REDIS_URL: the Sentinels of a Redis set, as host:port,host:port.'),
  REDIS_SENTINEL_MASTER: z.string().optional().describe('The name of the set that the Sentinels watch.'),
  REDIS_SENTINEL_PASSWORD: z.string().optional().describe('Password of the Sentinels, when they have one.'),
  REDIS_USERNAME: z.string().optional().describe('Login at the servers of REDIS_CLUSTER or REDIS_SENTINELS.'),
  REDIS_PASSWORD: z.string().optional().describe('Password at the servers of REDIS_CLUSTER or REDIS_SENTINELS.'),
  REDIS_TLS: trueOrFalse.default(false).describe('TLS to the servers of REDIS_CLUSTER or REDIS_SENTINELS.'),
});
export type RedisConfig = z.infer<typeof RedisConfig>;

interface Node {
  host: string;
  port: number;
}

function nodeOf(text: string): Node {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

type Login = Pick<RedisOptions, 'username' | 'password' | 'tls'>;
type SentinelSet = Pick<RedisOptions, 'name' | 'sentinels' | 'sentinelPassword' | 'enableTLSForSentinelMode'>;

/** How to reach Redis. */
export type RedisAddress = { setting: 'REDIS_URL' | 'REDIS_CLUSTER' | 'REDIS_SENTINELS'; host: string } & (
  | { url: string }
  | { cluster: Node[]; login: Login }
  | { sentinels: SentinelSet; login: Login }
);

/** @returns undefined without Redis @throws ConfigurationError for settings that exclude each other */
export function redisAddress(config: RedisConfig): RedisAddress | undefined {
  const { REDIS_URL: url, REDIS_CLUSTER: cluster, REDIS_SENTINELS: sentinels, REDIS_SENTINEL_MASTER: name } = config;
  const given = (['REDIS_URL', 'REDIS_CLUSTER', 'REDIS_SENTINELS'] as const).filter(key => config[key] !== undefined);
  if (given.length > 1) throw new ConfigurationError(`${given.join(' and ')} are both set: leave out one.`);
  const login: Login = {
    ...(config.REDIS_USERNAME !== undefined && { username: config.REDIS_USERNAME }),
    ...(config.REDIS_PASSWORD !== undefined && { password: config.REDIS_PASSWORD }),
    ...(config.REDIS_TLS && { tls: {} }),
  };
  if (url !== undefined) return { setting: 'REDIS_URL', host: new URL(url).host, url };
  if (cluster) return { setting: 'REDIS_CLUSTER', host: namesOf(cluster), cluster, login };
  if (!sentinels) return undefined;
  if (name === undefined)
    throw new ConfigurationError('REDIS_SENTINELS needs REDIS_SENTINEL_MASTER, the name of the set.');
  const set = {
    name,
    sentinels,
    ...(config.REDIS_SENTINEL_PASSWORD !== undefined && { sentinelPassword: config.REDIS_SENTINEL_PASSWORD }),
    enableTLSForSentinelMode: config.REDIS_TLS,
  };
  return { setting: 'REDIS_SENTINELS', host: `${name} of ${namesOf(sentinels)}`, sentinels: set, login };
}

const namesOf = (list: readonly Node[]): string => list.map(({ host, port }) => `${host}:${port}`).join(', ');

/** The options of each server; a Cluster ignores `retryStrategy`. */
export type ConnectionOptions = Pick<
  RedisOptions,
  'maxRetriesPerRequest' | 'enableOfflineQueue' | 'retryStrategy' | 'lazyConnect' | 'connectTimeout'
>;

/** After a failover an old connection may lead to the server that is a replica now. */
const reconnectOnError = (error: Error): boolean | 2 => (error.message.startsWith('READONLY') ? 2 : false);

export function connectRedis(address: RedisAddress, options: ConnectionOptions): Redis | Cluster {
  if ('url' in address) return new Redis(address.url, { ...options, reconnectOnError });
  if ('sentinels' in address)
    return new Redis({ ...address.login, ...address.sentinels, ...options, reconnectOnError });
  const { lazyConnect = false, enableOfflineQueue = true, retryStrategy: _, ...server } = options;
  return new Cluster(address.cluster, {
    lazyConnect,
    enableOfflineQueue,
    redisOptions: { ...address.login, ...server },
    // Certificates are for names, which managed clusters announce.
    ...(address.login.tls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
}

/** The prefix of keys that must be on one node of a Cluster: those of one queue. */
export const taggedPrefix = (address: RedisAddress, prefix: string, name: string): string =>
  'cluster' in address ? `{${prefix}:${name}}` : prefix;
