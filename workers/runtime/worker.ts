/** A worker: takes jobs of some kinds from their queues and runs them; sends heartbeats and reconciles jobs and queues. */
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { AppContext } from '../../core/app.ts';
import { type JobContract, kindOfJobId } from '../../core/jobs/contract.ts';
import type { OpenHandler } from '../../core/jobs/handler.ts';
import type { JobWorker } from '../../core/jobs/queues.ts';
import { reconcileJobs, workerDiedProblem } from '../../core/jobs/reconciler.ts';
import { tryWithSessionLock } from '../../core/postgres/locks.ts';
import { startInterval } from '../../core/runtime/interval.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import type { Run } from './run.ts';
import type { RunnerContext } from './run-end.ts';
import { createProcessor } from './run-job.ts';

const heartbeatEveryMs = 4_000;
const reconcileEveryMs = 10_000;
const lateRunsEveryMs = 100;

/** A kind of job and the open handler that runs it. */
export interface ServedKind {
  contract: JobContract;
  handler: OpenHandler;
}

export interface WorkerOptions {
  /** All kinds: the reconciler checks also those that this worker does not run. */
  contracts: ReadonlyMap<string, JobContract>;
  /** Time for running jobs to finish when the worker stops. */
  graceSeconds: number;
}

export type WorkerContext = Pick<
  AppContext,
  'changes' | 'database' | 'jobs' | 'events' | 'logger' | 'queues' | 'records' | 'heartbeats'
>;

export function startWorker(
  kinds: readonly ServedKind[],
  context: WorkerContext,
  { contracts, graceSeconds }: WorkerOptions,
) {
  const { logger, heartbeats } = context;
  const id = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const runs = new Map<string, Run>();
  const stopping = new AbortController();
  const workers = kinds.map(kind => consumeQueue(kind, { ...context, contracts }, { runs, stopping: stopping.signal }));
  const stops = context.changes.subscribe('job_stop', jobId => void runs.get(jobId)?.refresh());
  const beating = startInterval('heartbeat', heartbeatEveryMs, logger, () =>
    heartbeats.write(id, countRuns(kinds, runs)),
  );
  const reconciling = startInterval('reconciler', reconcileEveryMs, logger, () =>
    // One process at a time: after a loss of Redis a pass requeues all open jobs.
    tryWithSessionLock(context.database, 'reconcile jobs', () => reconcileJobs(contracts, context, stopping.signal)),
  );

  return {
    id,
    heartbeatAge: beating.age,
    /** Takes no more jobs, lets running ones finish, hands back the rest after the grace period, closes the handlers. */
    async stop() {
      stopping.abort();
      // Not after the reconciler has stopped: the worker must take no more jobs meanwhile.
      const drained = drain(workers, runs, logger, { graceMs: graceSeconds * 1_000 });
      await Promise.all([drained, reconciling.stop()]);
      await beating.stop();
      await Promise.all(kinds.map(({ handler }) => handler.close?.()));
      await stops.close();
      // In an outage they expire.
      await heartbeats
        .remove(id)
        .catch(error => logger.debug({ err: error }, 'the heartbeats of this worker were not deleted'));
    },
  };
}

function consumeQueue(
  { contract, handler }: ServedKind,
  { queues, records, jobs, logger, contracts }: WorkerContext & Pick<WorkerOptions, 'contracts'>,
  worker: Pick<RunnerContext, 'runs' | 'stopping'>,
): JobWorker {
  const { takeoverDelayMs } = queues;
  const shared = { contracts, records, jobs, logger, ...worker };
  const processor = createProcessor({ ...shared, contract, handler, takeoverDelayMs });
  return queues.worker(contract, processor, jobId => {
    records
      .markFailed(jobId, workerDiedProblem(jobId))
      .catch(error => logger.warn({ err: error, jobId }, 'failure not written; the reconciler requeues the job'));
  });
}

function countRuns(kinds: readonly ServedKind[], runs: ReadonlyMap<string, Run>): Map<string, number> {
  const counts = new Map(kinds.map(({ contract }) => [contract.kind, 0]));
  for (const jobId of runs.keys()) {
    const kind = kindOfJobId(jobId) ?? '';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/**
 * Resolves when all running jobs have ended and the workers are closed. Some time after the grace period, without a running
 * job, it resolves although a worker is not closed: of a Redis Cluster that was lost, BullMQ waits for an end that never comes.
 */
export async function drain(
  workers: readonly Pick<JobWorker, 'close'>[],
  runs: ReadonlyMap<string, Pick<Run, 'stop'>>,
  logger: Logger,
  { graceMs, closeWithinMs = 5_000 }: { graceMs: number; closeWithinMs?: number },
): Promise<void> {
  const handBack = () => {
    for (const run of runs.values()) run.stop('shutdown');
  };
  let lateRuns: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  const abandoned = new Promise<void>(resolve => {
    deadline = setTimeout(() => {
      logger.warn({ jobs: [...runs.keys()] }, 'grace period over: handing back running jobs');
      handBack();
      const until = Date.now() + closeWithinMs;
      lateRuns = setInterval(() => {
        // A job taken at the last moment may not have begun yet.
        handBack();
        if (runs.size > 0 || Date.now() < until) return;
        logger.warn('a queue does not close; the process stops without it');
        resolve();
      }, lateRunsEveryMs);
    }, graceMs);
  });
  await Promise.race([Promise.all(workers.map(worker => worker.close())), abandoned]);
  clearTimeout(deadline);
  clearInterval(lateRuns);
}
