/** Runs the maintenance tasks one after the other; the failure of one does not affect the others. */
import { z } from 'zod';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { isOutage } from '../../core/postgres/pool-errors.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { WorkerServices } from '../services.ts';
import { MaintenanceConfig } from './config.ts';
import contract, { type TaskReport } from './contract.ts';
import { discoverTasks, type MaintenanceTask, type TaskContext } from './task.ts';

/** Time of each task in one run. */
const taskTimeMs = 45_000;

export default defineHandler({
  job: contract,
  config: z.object({
    ...MaintenanceConfig.shape,
    ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
  }),
  async open(config, { database, results, logger }: WorkerServices) {
    const tasks = await discoverTasks();
    const taskContext = { config, database, results, logger };
    return {
      handle: async (_, context) => ({ result: { tasks: await runTasks(tasks, taskContext, context) } }),
    };
  },
});

/** @throws after all tasks have run: ServiceError with the names of failed tasks, or the outage that all of them met */
export async function runTasks(
  tasks: readonly MaintenanceTask[],
  context: TaskContext,
  { signal, progress, logger }: Pick<JobContext, 'signal' | 'progress' | 'logger'>,
): Promise<TaskReport[]> {
  const reports: TaskReport[] = [];
  const failures = new Map<string, unknown>();
  for (const [index, task] of tasks.entries()) {
    signal.throwIfAborted();
    progress(task.name, index, tasks.length, (100 * index) / tasks.length);
    try {
      const report = await runTask(task, context, signal);
      logger.info(report, 'maintenance task done');
      reports.push(report);
    } catch (error) {
      logger.error({ err: error, task: task.name }, 'maintenance task failed');
      failures.set(task.name, error);
    }
  }
  if (failures.size > 0) throw failed(failures);
  return reports;
}

async function runTask(task: MaintenanceTask, context: TaskContext, signal: AbortSignal): Promise<TaskReport> {
  const startedAt = performance.now();
  const isOver = () => signal.aborted || performance.now() - startedAt > taskTimeMs;
  const outcome = await task.run(context, { isOver });
  return { task: task.name, ...outcome, ms: Math.round(performance.now() - startedAt) };
}

/** The job waits for the database and for the store of results without using an attempt. */
function failed(failures: ReadonlyMap<string, unknown>): unknown {
  const errors = [...failures.values()];
  if (errors.every(isWaitedFor)) return errors[0];
  const names = [...failures.keys()].join(', ');
  const message = `These tasks failed: ${names}; all others are done. See the log for the errors.`;
  return new ServiceError('internal-error', message, { cause: new AggregateError(errors) });
}

const isWaitedFor = (error: unknown): boolean =>
  isOutage(error) || (error instanceof ServiceError && error.code === 'storage-unavailable');
