/** Maintenance tasks. Each file in `tasks/` exports a task or a list of tasks by default. */
import type { Database } from '../../core/postgres/client.ts';
import { hasMembers, loadFromFolders } from '../../core/runtime/discover.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import type { MaintenanceConfig } from './config.ts';

export interface TaskContext {
  config: MaintenanceConfig & { RESULT_RETENTION_HOURS: number };
  database: Database;
  results: Store;
  logger: Logger;
}

/** The time of a task in one run; the next run continues. */
export interface TimeBudget {
  isOver(): boolean;
}

export interface TaskOutcome {
  /** Deleted or found items by type. */
  counts: Record<string, number>;
  /** False: the time was over before all was done. */
  finished: boolean;
}

export interface MaintenanceTask {
  /** Such as `expired-results`; tasks run in the order of their names. */
  name: string;
  /** Idempotent; safe to run in two processes at once. */
  run(context: TaskContext, time: TimeBudget): Promise<TaskOutcome>;
}

export const defineTask = (task: MaintenanceTask): MaintenanceTask => task;

/** @throws Error when a file has no task, or two tasks have the same name */
export async function discoverTasks(from = 'workers/maintenance'): Promise<MaintenanceTask[]> {
  const tasks = new Map<string, MaintenanceTask>();
  for (const { file, exported } of await loadFromFolders(from)) {
    for (const task of [exported].flat()) {
      if (!isTask(task)) throw new Error(`${file} must export a maintenance task, or a list of them, by default`);
      if (tasks.has(task.name)) throw new Error(`${file}: another task is named ${task.name}`);
      tasks.set(task.name, task);
    }
  }
  return [...tasks.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const isTask = (value: unknown): value is MaintenanceTask => hasMembers(value, 'name', 'run');

const batchSize = 1_000;

/** Processes up to `limit` items and returns their number. */
export type Batch = (limit: number) => Promise<number>;

/** Repeats batches until nothing is left or the time is over. @param work batches by the name of their count */
export async function inBatches(time: TimeBudget, work: Record<string, Batch>): Promise<TaskOutcome> {
  const counts: Record<string, number> = {};
  for (const [name, runBatch] of Object.entries(work)) {
    let done = batchSize;
    let count = 0;
    while (done >= batchSize && !time.isOver()) {
      done = await runBatch(batchSize);
      count += done;
    }
    counts[name] = count;
    if (done >= batchSize) return { counts, finished: false };
  }
  return { counts, finished: true };
}
