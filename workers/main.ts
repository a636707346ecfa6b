/** The worker process: takes jobs of the queues named on the command line, or of all, until it is told to stop. */
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { readConfig } from '../core/config.ts';
import { jobChannel } from '../core/db/jobs.ts';
import { listen } from '../core/db/listen.ts';
import { discoverContracts, discoverHandlers } from '../core/jobs/discover-jobs.ts';
import type { JobHandler, OpenHandler } from '../core/jobs/handler.ts';
import type { JobWorker } from '../core/jobs/queues.ts';
import { sweepJobs, workersKeptDying } from '../core/jobs/sweep.ts';
import type { Logger } from '../core/logger.ts';
import { openParts, type Parts, PartsConfig } from '../core/parts.ts';
import { type RunningProcess, runProcess } from '../core/run-process.ts';
import { repeat } from './repeat.ts';
import type { Run } from './run.ts';
import { createProcessor } from './run-job.ts';

const signEveryMs = 4_000;
const sweepEveryMs = 10_000;

const handlers = await discoverHandlers(process.argv.slice(2));

async function start(config: PartsConfig, logger: Logger): Promise<RunningProcess> {
  const parts = await openParts(config, 'worker', logger);
  const runs = new Map<string, Run>();
  const open = await Promise.all(handlers.map(handler => openHandler(handler, parts)));
  const workers = handlers.map((handler, index) => startWorker(handler, open[index], parts, runs));

  const changes = listen(parts.databaseUrl, jobChannel, async jobId => runs.get(jobId)?.look(), { logger });
  const workerId = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const signs = repeat('sign of life', signEveryMs, logger, () =>
    parts.signs.write(workerId, countRuns(runs)),
  );
  const contracts = await discoverContracts();
  const sweeps = repeat('sweep', sweepEveryMs, logger, () => sweepJobs(contracts, parts));
  logger.info(
    { queues: handlers.map(handler => handler.job.kind), backend: parts.queues.backend },
    'the worker works',
  );
  process.send?.({ ready: workerId });

  return {
    async stop() {
      await Promise.all([sweeps.stop(), signs.stop()]);
      await drain(workers, runs, config.SHUTDOWN_GRACE_SECONDS, logger);
      await Promise.all(open.map(handler => handler.close()));
      await changes.close();
      await parts.signs.remove(workerId);
      await parts.close();
    },
  };
}

function openHandler(handler: JobHandler, parts: Parts): Promise<OpenHandler> {
  const logger = parts.logger.child({ kind: handler.job.kind });
  return handler.open(readConfig(handler.config), { ...parts, logger });
}

function startWorker(
  handler: JobHandler,
  open: OpenHandler | undefined,
  { queues, records, logger }: Parts,
  runs: Map<string, Run>,
): JobWorker {
  if (!open) throw new Error(`the handler of ${handler.job.kind} is not open`);
  const processor = createProcessor({ contract: handler.job, handler: open, records, logger, runs });
  return queues.worker(handler.job, processor, (jobId, reason) => {
    // A message fails without a run of ours when its workers kept dying; a failed run has written its row already.
    records
      .giveUp(jobId, workersKeptDying(jobId))
      .catch(error => logger.warn({ err: error, jobId, reason }, 'not written'));
  });
}

const countRuns = (runs: ReadonlyMap<string, Run>): Map<string, number> => {
  const counts = new Map(handlers.map(handler => [handler.job.kind, 0]));
  for (const jobId of runs.keys()) {
    const kind = jobId.slice(0, jobId.lastIndexOf('_'));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
};

/** Takes no more jobs and lets the running ones finish; those that cannot in time are handed back. */
async function drain(
  workers: readonly JobWorker[],
  runs: ReadonlyMap<string, Run>,
  graceSeconds: number,
  logger: Logger,
): Promise<void> {
  const deadline = setTimeout(() => {
    logger.warn({ jobs: [...runs.keys()] }, 'these jobs are handed back');
    for (const run of runs.values()) run.stop('shutdown');
  }, graceSeconds * 1_000);
  await Promise.all(workers.map(worker => worker.close()));
  clearTimeout(deadline);
}

await runProcess(
  'worker',
  PartsConfig,
  start,
  handlers.map(handler => handler.config),
);
