/** Whether the queues answer, wherever they are. */
import { pino } from 'pino';
import { QueueConfig } from '../../jobs/config.ts';
import { discoverContracts } from '../../jobs/discover.ts';
import { openQueues } from '../../jobs/queues.ts';
import { ok } from '../../runtime/finding.ts';
import { type Check, defineCheck, NotChecked } from '../check.ts';
import { onWorkingDatabase } from '../on-database.ts';
import { evictionPolicy, readRedisInfo } from '../redis-info.ts';

export default defineCheck({
  name: 'queues',
  timeoutMs: 90_000,
  async look(context): ReturnType<Check['look']> {
    const { REDIS_URL: redisUrl } = context.read(QueueConfig);
    if (redisUrl === undefined && !(await areThere(context)))
      return ok('none yet: the first process that starts makes them in PostgreSQL');
    if (redisUrl !== undefined) await refuseUnfitRedis(redisUrl);
    const queues = await openQueues(
      { redisUrl, databaseUrl: await context.databaseUrl() },
      pino({ level: 'silent' }),
    );
    try {
      const contracts = [...(await discoverContracts()).values()];
      const begun = performance.now();
      const counts = await Promise.all(
        contracts.map(contract => queues.queue(contract).getJobCounts('waiting', 'prioritized', 'delayed')),
      );
      const waiting = counts.flatMap(count => Object.values(count)).reduce((sum, one) => sum + one, 0);
      const ms = Math.round(performance.now() - begun);
      return ok(`${contracts.length} queues in ${nameOf(queues.backend)}, ${waiting} jobs waiting, ${ms} ms`);
    } finally {
      await queues.close();
    }
  },
});

const nameOf = (backend: string): string => (backend === 'redis' ? 'Redis' : 'PostgreSQL');

/** The check of Redis says what is wrong with it. @throws NotChecked */
async function refuseUnfitRedis(url: string): Promise<void> {
  const info = await readRedisInfo(url).catch(() => {
    throw new NotChecked('Redis does not answer');
  });
  if (evictionPolicy(info) !== 'noeviction') throw new NotChecked('Redis evicts keys');
}

/** Opening them would make them. */
const areThere = (context: Parameters<Check['look']>[0]): Promise<boolean> =>
  onWorkingDatabase(context, async client => {
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regnamespace('bullmq') is not null as there`,
    );
    return rows[0]?.there === true;
  });
