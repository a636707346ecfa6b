/** An embedded PostgreSQL with all migrations, and the same measurement at several sizes. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '../../core/postgres/client.ts';
import { startEmbeddedPostgres } from '../../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../../core/postgres/migrate.ts';
import { createLogger, type Logger } from '../../core/telemetry/logger.ts';
import { figure } from './results.ts';

export interface BenchDatabase {
  database: Database;
  url: string;
  logger: Logger;
}

/** Removes the database when the work is done. */
export async function withBenchDatabase(
  work: (bench: BenchDatabase) => Promise<void>,
  { poolSize = 4 } = {},
): Promise<void> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
  const logger = createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  try {
    await migrateDatabase({ url: postgres.url, logger });
    const { url } = postgres;
    const database = openDatabase({ url, poolSize, logger, applicationName: 'bench', statementTimeoutMs: 0 });
    await work({ database, url, logger });
    await database.close();
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Milliseconds of the work. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Median of several runs, after one that fills the caches. */
export async function medianTime(work: () => Promise<unknown>, runs = 9): Promise<number> {
  await work();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push(await timeOf(work));
  return times.sort((one, other) => one - other)[Math.floor(runs / 2)] ?? Number.NaN;
}

export interface Measurement {
  size: number;
  ms: number;
}

/** One line per size with its time and the memory of this process. */
export function printSize(what: string, { size, ms }: Measurement, note = ''): void {
  const memory = Math.round(process.memoryUsage.rss() / 1_048_576);
  process.stdout.write(`${what}: ${size.toLocaleString('en')}: ${ms.toFixed(1)} ms, ${memory} MB ${note}\n`);
}

/**
 * Prints how the time grows: with the exponent 1 it doubles with the size, with 0 it stays.
 * @param target a size for which the time is extrapolated
 */
export function printGrowth(what: string, measured: readonly Measurement[], target?: { size: number; goalMs: number }) {
  const [first, last] = [measured[0], measured.at(-1)];
  if (!first || !last) return;
  const exponent = Math.log(last.ms / first.ms) / Math.log(last.size / first.size);
  const expected = target && last.ms * (target.size / last.size) ** Math.max(0, exponent);
  figure(`${what} at ${last.size.toLocaleString('en')}`, last.ms, 'ms');
  figure(`${what}: growth exponent`, exponent, '');
  if (target && expected !== undefined)
    figure(`${what} at ${target.size.toLocaleString('en')}, extrapolated`, expected, 'ms', {
      goal: `${target.goalMs}`,
    });
}
