/** The queues, in Redis or PostgreSQL: each of them answers. */
import { pino } from 'pino';
import { QueueConfig } from '../../jobs/config.ts';
import { discoverContracts } from '../../jobs/discover.ts';
import { openQueues } from '../../jobs/queues.ts';
import { ok } from '../../runtime/finding.ts';
import { type Check, defineCheck } from '../check.ts';
import { type DoctorContext, NotChecked, onWorkingDatabase } from '../context.ts';
import { evictionPolicy, readRedisInfo } from './redis.ts';

export default defineCheck({
  name: 'queues',
  timeoutMs: 90_000,
  async run(context): ReturnType<Check['run']> {
    const { REDIS_URL: redisUrl } = context.read(QueueConfig);
    if (redisUrl === undefined && !(await existInPostgres(context)))
      return ok('none yet: the first process that starts creates them in PostgreSQL');
    if (redisUrl !== undefined) await requireWorkingRedis(redisUrl);
    const queues = await openQueues({ redisUrl, databaseUrl: await context.databaseUrl() }, pino({ level: 'silent' }));
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
async function requireWorkingRedis(url: string): Promise<void> {
  const info = await readRedisInfo(url).catch(() => {
    throw new NotChecked('Redis does not answer');
  });
  if (evictionPolicy(info) !== 'noeviction') throw new NotChecked('Redis evicts keys');
}

/** Opening the queues would create them. */
const existInPostgres = (context: DoctorContext): Promise<boolean> =>
  onWorkingDatabase(context, async client => {
    const { rows } = await client.query<{ exists: boolean }>(`select to_regnamespace('bullmq') is not null as exists`);
    return rows[0]?.exists === true;
  });
