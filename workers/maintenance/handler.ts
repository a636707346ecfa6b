/** Does the tasks one after the other; one that fails does not keep the others from being done. */
import { z } from 'zod';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { WorkerServices } from '../services.ts';
import { MaintenanceConfig } from './config.ts';
import contract, { type TaskReport } from './contract.ts';
import { createPastRetention } from './past-retention.ts';
import { discoverTasks, type MaintenanceTask, type TaskParts } from './task.ts';

/** Of each task in one run, in ms. */
const taskTimeMs = 45_000;

export default defineHandler({
  job: contract,
  config: z.object({
    ...MaintenanceConfig.shape,
    ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
  }),
  async open(config, { database, results, logger }: WorkerServices) {
    const tasks = await discoverTasks();
    const parts = { config, database, past: createPastRetention(database), results, logger };
    return {
      handle: async (_, context) => ({ result: { tasks: await runTasks(tasks, parts, context) } }),
      close: async () => {},
    };
  },
});

/** @throws ServiceError when tasks have failed, naming them, after the others were done */
export async function runTasks(
  tasks: readonly MaintenanceTask[],
  parts: TaskParts,
  { signal, progress, logger }: Pick<JobContext, 'signal' | 'progress' | 'logger'>,
): Promise<TaskReport[]> {
  const reports: TaskReport[] = [];
  const failures = new Map<string, unknown>();
  for (const [index, task] of tasks.entries()) {
    signal.throwIfAborted();
    progress(task.name, index, tasks.length, (100 * index) / tasks.length);
    try {
      const report = await runTask(task, parts, signal);
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

async function runTask(task: MaintenanceTask, parts: TaskParts, signal: AbortSignal): Promise<TaskReport> {
  const begun = performance.now();
  const isOver = () => signal.aborted || performance.now() - begun > taskTimeMs;
  const outcome = await task.run(parts, { isOver });
  return { task: task.name, ...outcome, ms: Math.round(performance.now() - begun) };
}

const failed = (failures: ReadonlyMap<string, unknown>): ServiceError =>
  new ServiceError(
    'internal-error',
    `These tasks failed: ${[...failures.keys()].join(', ')}; the others were done. The log says why.`,
    { cause: new AggregateError(failures.values()) },
  );
