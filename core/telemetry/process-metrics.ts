/** What the processes of the service measure of themselves, by way of the database. */

import os from 'node:os';
import { gt, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import { type Interval, startInterval } from '../runtime/interval.ts';
import { registry } from './meter.ts';
import { processMetricsTable as table } from './schema.ts';

export interface ProcessSnapshot extends ProcessName {
  snapshot: unknown;
}

export interface ProcessMetrics {
  write(snapshot: ProcessSnapshot): Promise<void>;
  /** The process ends: what it has measured is told no more. */
  remove(name: ProcessName): Promise<void>;
  /** Those of the processes that live. */
  read(): Promise<ProcessSnapshot[]>;
}

/** What is older is of a process that died or hangs, in seconds; snapshots are due every 5. */
const freshSeconds = 30;
const forgetSeconds = 600;

export function createProcessMetrics(db: NodePgDatabase): ProcessMetrics {
  const ago = (seconds: number) => sql`now() - ${seconds} * interval '1 second'`;
  return {
    async write(given) {
      await db
        .insert(table)
        .values(given)
        .onConflictDoUpdate({
          target: [table.process, table.instance],
          set: { snapshot: sql`excluded.snapshot`, at: sql`now()` },
        });
      await db.delete(table).where(lt(table.at, ago(forgetSeconds)));
    },
    async remove({ process, instance }) {
      await db.delete(table).where(sql`(${table.process}, ${table.instance}) = (${process}, ${instance})`);
    },
    read: () =>
      db
        .select({ process: table.process, instance: table.instance, snapshot: table.snapshot })
        .from(table)
        .where(gt(table.at, ago(freshSeconds))),
  };
}

const everyMs = 5_000;

export function publishMetrics(metrics: ProcessMetrics, name: ProcessName, logger: Logger): Interval {
  const telling = startInterval('metrics', everyMs, logger, async () =>
    metrics.write({ ...name, snapshot: await registry.getMetricsAsJSON() }),
  );
  return {
    runNow: telling.runNow,
    async stop() {
      await telling.stop();
      await metrics
        .remove(name)
        .catch(error => logger.debug({ err: error }, 'the metrics of this process stay for a while'));
    },
  };
}

export interface ProcessName {
  /** `api`, `worker` or `scheduler`. */
  process: string;
  /** Tells processes of the same name apart, on all machines: `host:pid`. */
  instance: string;
}

export const nameProcess = (name: string): ProcessName => ({
  process: name,
  instance: `${os.hostname()}:${process.pid}`,
});
