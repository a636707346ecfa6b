/** Snapshots of each process's metrics in the database, so that any API process can answer a scrape for all. */
import os from 'node:os';
import { gt, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import { type Interval, startInterval } from '../runtime/interval.ts';
import { registry } from './meter.ts';
import { processMetricsTable as table } from './schema.ts';

/** Identifies a process in metrics and traces. */
export interface ProcessName {
  /** `api`, `worker` or `scheduler`. */
  process: string;
  /** `host:pid`: distinguishes processes of the same name on all machines. */
  instance: string;
}

export type ProcessSnapshot = ProcessName & { snapshot: unknown };

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

const publishIntervalMs = 5_000;
/** An older snapshot belongs to a process that died or hangs. */
const freshSeconds = 30;
const deleteAfterSeconds = 600;

export const nameProcess = (name: string): ProcessName => ({
  process: name,
  instance: `${os.hostname()}:${process.pid}`,
});

export function createProcessMetrics(db: NodePgDatabase) {
  const ago = (seconds: number) => sql`now() - ${seconds} * interval '1 second'`;
  return {
    async write(given: ProcessSnapshot): Promise<void> {
      await db
        .insert(table)
        .values(given)
        .onConflictDoUpdate({
          target: [table.process, table.instance],
          set: { snapshot: sql`excluded.snapshot`, at: sql`now()` },
        });
      await db.delete(table).where(lt(table.at, ago(deleteAfterSeconds)));
    },
    async remove({ process, instance }: ProcessName): Promise<void> {
      await db.delete(table).where(sql`(${table.process}, ${table.instance}) = (${process}, ${instance})`);
    },
    /** The snapshots of live processes. */
    read: () =>
      db
        .select({ process: table.process, instance: table.instance, snapshot: table.snapshot })
        .from(table)
        .where(gt(table.at, ago(freshSeconds))),
  };
}

/** Writes this process's metrics every 5 seconds; `stop` deletes its snapshot. */
export function publishMetrics(metrics: ProcessMetrics, name: ProcessName, logger: Logger): Pick<Interval, 'stop'> {
  const publishing = startInterval('metrics', publishIntervalMs, logger, async () =>
    metrics.write({ ...name, snapshot: await registry.getMetricsAsJSON() }),
  );
  return {
    async stop() {
      await publishing.stop();
      await metrics
        .remove(name)
        .catch(error => logger.debug({ err: error }, 'the metrics snapshot of this process was not deleted'));
    },
  };
}
