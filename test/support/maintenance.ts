/** Runs one maintenance task on a test's database and results. */
import { pino } from 'pino';
import type { Database } from '../../core/postgres/client.ts';
import { readConfig } from '../../core/runtime/config.ts';
import type { Store } from '../../core/storage/store.ts';
import { MaintenanceConfig } from '../../workers/maintenance/config.ts';
import type { TaskReport } from '../../workers/maintenance/contract.ts';
import { runTasks } from '../../workers/maintenance/handler.ts';
import { discoverTasks, type TaskContext } from '../../workers/maintenance/task.ts';

const logger = pino({ level: 'silent' });

/** @param config overrides of the defaults */
export async function runMaintenanceTask(
  name: string,
  { database, results }: { database: Database; results: Store },
  config: Partial<TaskContext['config']> = {},
): Promise<TaskReport> {
  const task = (await discoverTasks()).find(one => one.name === name);
  if (!task) throw new Error(`there is no task ${name}`);
  const parts = {
    config: { ...readConfig(MaintenanceConfig, {}), RESULT_RETENTION_HOURS: 168, ...config },
    database,
    results,
    logger,
  };
  const context = { signal: new AbortController().signal, progress: () => {}, logger };
  const [report] = await runTasks([task], parts, context);
  if (!report) throw new Error(`the task ${name} returned no report`);
  return report;
}
