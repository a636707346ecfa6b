/** One task of the maintenance: a file in `tasks/` that exports it by default. */

import type { Database } from '../../core/postgres/client.ts';
import { loadAllFromFolders } from '../../core/runtime/discover.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import type { MaintenanceConfig } from './config.ts';
import type { PastRetention } from './past-retention.ts';

export interface TaskParts {
  config: MaintenanceConfig & { RESULT_RETENTION_HOURS: number };
  database: Database;
  past: PastRetention;
  results: Store;
  logger: Logger;
}

/** When a task has to stop, whatever is left: the next run goes on. */
export interface TaskTime {
  isOver(): boolean;
}

export interface TaskOutcome {
  counts: Record<string, number>;
  /** False: there is more, and the time was over. */
  finished: boolean;
}

export interface MaintenanceTask {
  /** Such as `expired-results`; the tasks are done in the order of their names. */
  name: string;
  /** Repeatable, and harmless when two processes do it at once. */
  run(parts: TaskParts, time: TaskTime): Promise<TaskOutcome>;
}

export const defineTask = (task: MaintenanceTask): MaintenanceTask => task;

/** @throws Error when a file has no task, or two have the same name */
export async function discoverTasks(from = 'workers/maintenance'): Promise<MaintenanceTask[]> {
  const tasks = new Map<string, MaintenanceTask>();
  for (const { file, exported } of await loadAllFromFolders(from)) {
    if (!isTask(exported)) throw new Error(`${file} must export a maintenance task by default`);
    if (tasks.has(exported.name)) throw new Error(`${file}: there is another task named ${exported.name}`);
    tasks.set(exported.name, exported);
  }
  return [...tasks.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isTask(value: unknown): value is MaintenanceTask {
  return typeof value === 'object' && value !== null && 'name' in value && 'run' in value;
}
