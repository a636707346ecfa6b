/** Redis, where the queues are in it: it must drop nothing by itself, and keep what it has over a restart. */
import { QueueConfig } from '../../jobs/config.ts';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';
import { evictionPolicy, type RedisInfo, readRedisInfo } from '../redis-info.ts';
import { codeOf, errorText } from '../run-checks.ts';

/** The least that BullMQ takes. */
const leastVersion = [6, 2] as const;

export default defineCheck({
  name: 'redis',
  whenSilent: 'look whether Redis is busy or blocked (redis-cli --latency), or a firewall drops its packets',
  async look({ read }) {
    const { REDIS_URL: url } = read(QueueConfig);
    if (url === undefined) return ok('not set: the queues are in PostgreSQL');
    const begun = performance.now();
    try {
      const info = await readRedisInfo(url);
      const ms = Math.round(performance.now() - begun);
      const found = `Redis ${info.get('redis_version')} at ${new URL(url).host}, ${info.get('used_memory_human')}, ${ms} ms`;
      return [
        ok(found),
        ...version(info),
        ...role(info),
        ...eviction(info),
        ...persistence(info),
        ...memory(info),
      ];
    } catch (error) {
      return notConnected(error);
    }
  },
});

function notConnected(error: unknown): Finding {
  const text = errorText(error);
  if (/WRONGPASS|NOAUTH|invalid password/i.test(text))
    return failure('Redis refuses the login', 'correct user and password in REDIS_URL');
  if (/NOPERM/.test(text))
    return failure('Redis does not let the user at INFO', 'allow it: ACL SETUSER <user> +info +@all');
  return failure(`Redis cannot be reached (${codeOf(error) || text})`, 'start it, or correct REDIS_URL');
}

function version(info: RedisInfo): Finding[] {
  const found = info.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const [leastMajor, leastMinor] = leastVersion;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return [];
  return [failure(`Redis ${found} is too old`, `use Redis ${leastVersion.join('.')} or later`)];
}

const role = (info: RedisInfo): Finding[] =>
  info.get('role') === 'slave'
    ? [failure('Redis is a replica, which takes no writes', 'set REDIS_URL to the primary')]
    : [];

function eviction(info: RedisInfo): Finding[] {
  const policy = evictionPolicy(info);
  if (policy === 'noeviction') return [];
  return [failure(`Redis evicts keys (maxmemory-policy ${policy})`, 'set maxmemory-policy noeviction')];
}

function persistence(info: RedisInfo): Finding[] {
  if (info.get('aof_enabled') !== '1')
    return [
      warning(
        'Redis is not append-only, so that jobs of its last minutes wait to be found again after a restart',
        'set appendonly yes',
      ),
    ];
  if (info.get('aof_last_write_status') === 'err')
    return [failure('Redis cannot write its append-only file', 'look for a full disk in its log')];
  return [];
}

function memory(info: RedisInfo): Finding[] {
  const [used, most] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))];
  if (!(most > 0) || used < 0.9 * most) return [];
  return [warning(`Redis uses ${Math.round((100 * used) / most)} % of its memory`, 'raise maxmemory')];
}
