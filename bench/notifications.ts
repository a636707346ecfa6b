/**
 * Measures commits per second of progress reports while their changes are announced, as a share of the rate without
 * announcements, with 6, 12 and 24 connections. Baseline: a trigger that notifies in each commit. Goal: at least 0.8.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { openJobChanges } from '../core/jobs/changes.ts';
import { newJobId } from '../core/jobs/contract.ts';
import { createJobRecords } from '../core/jobs/repository/repository.ts';
import { figure } from './support/results.ts';
import { printGrowth, withBenchDatabase } from './support/sizes.ts';

const sizes = [6, 12, 24];
const msEach = 4_000;
/** Processes that share the connections; each sends its own announcements. */
const connectionsPerProcess = 6;

await withBenchDatabase(
  async ({ database, logger }) => {
    const insertCallback = async () => undefined;
    const silent = createJobRecords(database, { resultRetentionHours: 1, insertCallback });
    const listener = openJobChanges({ redis: undefined, database, logger });
    let heard = 0;
    const subscription = listener.subscribe('job', () => heard++);
    await database.execute(sql`
      create function notify_job() returns trigger language plpgsql as
        $$ begin perform pg_notify('job', new.id); return null; end $$`);

    /** @returns commits per second */
    async function rateOf(connections: number, announcing: boolean): Promise<number> {
      const processes = Array.from({ length: connections / connectionsPerProcess }, () => {
        const changes = openJobChanges({ redis: undefined, database, logger });
        const { announce } = changes;
        return { changes, records: createJobRecords(database, { resultRetentionHours: 1, insertCallback, announce }) };
      });
      const runs = await Promise.all(
        Array.from({ length: connections }, async () => {
          const run = { jobId: newJobId('bench'), runId: randomUUID() };
          await silent.create({ id: run.jobId, kind: 'bench', clientId: run.jobId, payload: {}, attemptsMax: 1 });
          await silent.begin(run, 1);
          return run;
        }),
      );
      let commits = 0;
      const startedAt = performance.now();
      await Promise.all(
        runs.map(async (run, index) => {
          const records = announcing ? (processes[index % processes.length]?.records ?? silent) : silent;
          for (let step = 0; performance.now() - startedAt < msEach; step++, commits++)
            await records.saveProgress(run, { stage: 'bench', done: step, total: step + 1, percent: step % 100 });
        }),
      );
      const rate = commits / ((performance.now() - startedAt) / 1_000);
      await Promise.all(processes.map(({ changes }) => changes.close()));
      return rate;
    }

    const shares = [];
    for (const size of sizes) {
      const without = await rateOf(size, false);
      const announced = await rateOf(size, true);
      await database.execute(
        sql`create trigger job_notified after update on job for each row execute function notify_job()`,
      );
      const notified = await rateOf(size, false);
      await database.execute(sql`drop trigger job_notified on job`);
      const memory = Math.round(process.memoryUsage.rss() / 1_048_576);
      process.stdout.write(`${size} connections: ${memory} MB\n`);
      figure(`${size} connections, not announced`, without, 'commits/s');
      figure(`${size} connections, announced`, announced, 'commits/s', { baseline: without, goal: 'at least 0.8' });
      figure(`${size} connections, notified by a trigger`, notified, 'commits/s', { baseline: without });
      shares.push({ size, ms: 1_000 / announced });
    }
    printGrowth('time of a commit', shares);
    process.stdout.write(`${heard} announcements received\n`);
    await subscription.close();
  },
  { poolSize: 26 },
);
