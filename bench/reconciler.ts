/**
 * Measures how long the reconciler takes after Redis has lost all messages of 2,000, 10,000 and 50,000 open jobs, and a pass in
 * which nothing is missing. One process with one core; starts `redis-server`. Baseline: the messages alone, added as fast as
 * the reconciler adds them. Goal: 100,000 jobs in 60 s. Arguments: other sizes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { defineJob } from '../core/jobs/contract.ts';
import { openQueues } from '../core/jobs/queues.ts';
import { reconcileJobs } from '../core/jobs/reconciler.ts';
import { createJobEvents } from '../core/jobs/repository/events.ts';
import { createJobRecords } from '../core/jobs/repository/repository.ts';
import { openJobService } from '../core/jobs/service.ts';
import { freePort } from '../core/runtime/free-port.ts';
import { mapConcurrent } from '../core/runtime/map-concurrent.ts';
import { type Measurement, printGrowth, printSize, timeOf, withBenchDatabase } from './support/sizes.ts';

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [2_000, 10_000, 50_000];
const target = { size: 100_000, goalMs: 60_000 };

const contract = defineJob({
  kind: 'bench',
  summary: 'Does nothing.',
  payload: z.object({}),
  result: z.object({}),
  attempts: 4,
  backoffMs: 1_000,
  timeoutMs: 60_000,
  concurrency: 1,
});
const contracts = new Map([[contract.kind, contract]]);

const port = await freePort();
const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
await once(redis, 'spawn');

try {
  await withBenchDatabase(async ({ database, url, logger }) => {
    const address = { setting: 'REDIS_URL', host: '127.0.0.1', url: `redis://127.0.0.1:${port}` } as const;
    const queues = await openQueues({ redis: address, databaseUrl: url }, logger);
    const records = createJobRecords(database, { resultRetentionHours: 1, insertCallback: async () => undefined });
    const jobs = openJobService({ queues, records, results: { has: async () => true }, logger });
    const reconcile = () =>
      reconcileJobs(contracts, { queues, records, events: createJobEvents(database), jobs, logger });
    const queue = queues.boardQueue(contract);
    const measured = new Map<string, Measurement[]>();
    const note = (what: string, measurement: Measurement, remark = '') => {
      printSize(what, measurement, remark);
      measured.set(what, [...(measured.get(what) ?? []), measurement]);
    };
    const age = () =>
      database.execute(sql`update job set touched_at = now() - interval '1 minute' where state = 'queued'`);

    for (const size of sizes) {
      await database.execute(sql`truncate job cascade`);
      await queue.obliterate({ force: true });
      const messages = Array.from({ length: size }, (_, index) => `message-${index}`);
      const baseline = await timeOf(() =>
        mapConcurrent(messages, { limit: 20 }, jobId => queue.add(contract.kind, {}, { jobId, priority: 1 })),
      );
      await queue.obliterate({ force: true });
      await database.execute(sql`
        insert into job (id, kind, client_id, payload, attempts_max)
        select 'bench_' || n, 'bench', 'client-' || n % 20, '{}', 4 from generate_series(1, ${size}::int) as n`);
      await age();
      await database.execute(sql`vacuum analyze job`);
      const ratio = (ms: number) =>
        `${(ms / baseline).toFixed(1)} times the messages alone (${baseline.toFixed(0)} ms)`;
      for (const what of ['all messages lost', 'none lost']) {
        const cpu = process.cpuUsage();
        const startedAt = performance.now();
        const { checked, requeued } = await reconcile();
        const ms = performance.now() - startedAt;
        const { user, system } = process.cpuUsage(cpu);
        note(
          what,
          { size, ms },
          `${((user + system) / 1_000_000).toFixed(1)} s CPU, checked ${checked}, requeued ${requeued}; ${ratio(ms)}`,
        );
        await age();
      }
      process.stdout.write(`${await queue.count()} messages for ${size} jobs\n`);
    }
    for (const [what, times] of measured) printGrowth(what, times, target);
    await queues.close();
  });
} finally {
  redis.kill();
}
