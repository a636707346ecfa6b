/** The queues, in Redis or PostgreSQL: each of them answers. */
import { pino } from 'pino';
import { QueueConfig } from '../../jobs/config.ts';
import { discoverContracts } from '../../jobs/discover.ts';
import { openQueues } from '../../jobs/queues.ts';
import { type RedisAddress, redisAddress } from '../../redis/connection.ts';
import { ok } from '../../runtime/finding.ts';
import { type Check, defineCheck } from '../check.ts';
import { type DoctorContext, NotChecked, onWorkingDatabase } from '../context.ts';
import { evictionPolicy, readRedisInfo } from './redis.ts';

export default defineCheck({
  name: 'queues',
  timeoutMs: 90_000,
  async run(context): ReturnType<Check['run']> {
    const redis = redisAddress(context.read(QueueConfig));
    if (!redis && !(await existInPostgres(context)))
      return ok('none yet: the first process that starts creates them in PostgreSQL');
    if (redis) await requireWorkingRedis(redis);
    const queues = await openQueues({ redis, databaseUrl: await context.databaseUrl() }, pino({ level: 'silent' }));
    try {
      const contracts = [...(await discoverContracts()).values()];
      const startedAt = performance.now();
      const counts = await Promise.all(
        contracts.map(contract => queues.queue(contract).getJobCounts('waiting', 'prioritized', 'delayed')),
      );
      const waiting = counts.flatMap(count => Object.values(count)).reduce((sum, one) => sum + one, 0);
      const ms = Math.round(performance.now() - startedAt);
      const backend = queues.backend === 'redis' ? 'Redis' : 'PostgreSQL';
      return ok(`${contracts.length} queues in ${backend}, ${waiting} jobs waiting, ${ms} ms`);
    } finally {
      await queues.close();
    }
  },
});

/** The check `redis` reports the details. @throws NotChecked */
async function requireWorkingRedis(address: RedisAddress): Promise<void> {
  const servers = await readRedisInfo(address).catch(() => {
    throw new NotChecked('Redis does not answer');
  });
  if (servers.some(info => evictionPolicy(info) !== 'noeviction')) throw new NotChecked('Redis evicts keys');
}

/** Opening the queues would create them. */
const existInPostgres = (context: DoctorContext): Promise<boolean> =>
  onWorkingDatabase(context, async client => {
    const { rows } = await client.query<{ exists: boolean }>(`select to_regnamespace('bullmq') is not null as exists`);
    return rows[0]?.exists === true;
  });
