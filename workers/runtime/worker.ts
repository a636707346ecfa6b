/** Takes jobs of some kinds and works on them: the queues' workers, their runs, signs of life and the sweeper. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Parts } from '../../core/app.ts';
import { type JobContract, kindOfJobId } from '../../core/jobs/contract.ts';
import { editionOf, type OpenHandler } from '../../core/jobs/handler.ts';
import type { JobWorker } from '../../core/jobs/queues.ts';
import { sweepJobs, workersKeptDying } from '../../core/jobs/reconciler.ts';
import { jobChannel } from '../../core/jobs/repository/repository.ts';
import { listen } from '../../core/postgres/listen.ts';
import { repeat } from '../../core/runtime/interval.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import type { Run } from './run.ts';
import { createProcessor } from './run-job.ts';

const signEveryMs = 4_000;
const sweepEveryMs = 10_000;
const lateRunsEveryMs = 100;
const editionsAgainMs = 1_000;

/** Touched with each sign of life: a container's health check looks at its age. */
const aliveFile = path.join(os.tmpdir(), 'portal-worker-alive');

/** A kind of job with the handler that works on it. */
export interface Post {
  contract: JobContract;
  handler: OpenHandler;
}

export interface WorkerOptions {
  /** Every kind there is: the sweeper looks after all of them, whatever this worker takes. */
  contracts: ReadonlyMap<string, JobContract>;
  /** How long running jobs may take to finish when the worker stops. */
  graceSeconds: number;
}

export interface StartedWorker {
  id: string;
  /** Takes no more jobs, lets the running ones finish, hands back those that cannot in time, closes the handlers. */
  stop(): Promise<void>;
}

export type WorkerParts = Pick<
  Parts,
  'databaseUrl' | 'desk' | 'events' | 'logger' | 'queues' | 'records' | 'signs'
>;

export function startWorker(
  posts: readonly Post[],
  parts: WorkerParts,
  options: WorkerOptions,
): StartedWorker {
  const { logger, signs } = parts;
  const id = `${os.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const runs = new Map<string, Run>();
  const stopping = new AbortController();
  // Before its first job, so that what comes of that one can be used again.
  const workers = takeEditions(posts, parts, stopping.signal).then(isStopped =>
    isStopped ? [] : posts.map(post => takeJobs(post, parts, runs)),
  );
  const changes = listen(parts.databaseUrl, jobChannel, async jobId => runs.get(jobId)?.look(), { logger });
  const signing = repeat('sign of life', signEveryMs, logger, async () => {
    await signs.write(id, countRuns(posts, runs));
    await writeFile(aliveFile, id);
  });
  const sweeping = repeat('sweep', sweepEveryMs, logger, () => sweepJobs(options.contracts, parts));

  return {
    id,
    async stop() {
      stopping.abort();
      // At once: while a sweep is waited for, no job may be taken any more.
      const drained = workers.then(taking => drain(taking, runs, options.graceSeconds, logger));
      await Promise.all([drained, sweeping.stop()]);
      await signing.stop();
      await Promise.all(posts.map(({ handler }) => handler.close()));
      await changes.close();
      await signs.remove(id);
    },
  };
}

/**
 * Says what the kinds whose results are used again are made of from now on; tries until the database takes it.
 * @returns whether the worker was stopped first
 */
async function takeEditions(
  posts: readonly Post[],
  { records, logger }: WorkerParts,
  signal: AbortSignal,
): Promise<boolean> {
  const untaken = posts.filter(({ contract }) => contract.reusable);
  while (untaken[0] && !signal.aborted) {
    const { contract, handler } = untaken[0];
    try {
      await records.takeEdition(contract.kind, editionOf(handler));
      untaken.shift();
    } catch (error) {
      logger.warn({ err: error, kind: contract.kind }, 'the edition could not be written; trying again');
      await sleep(editionsAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return signal.aborted;
}

function takeJobs({ contract, handler }: Post, parts: WorkerParts, runs: Map<string, Run>): JobWorker {
  const { queues, records, desk, logger } = parts;
  const { patienceMs } = queues;
  const processor = createProcessor({ contract, handler, records, desk, logger, patienceMs, runs });
  return queues.worker(contract, processor, jobId => {
    records
      .giveUp(jobId, workersKeptDying(jobId))
      .catch(error => logger.warn({ err: error, jobId }, 'not written; the sweeper puts the job back'));
  });
}

function countRuns(posts: readonly Post[], runs: ReadonlyMap<string, Run>): Map<string, number> {
  const counts = new Map(posts.map(({ contract }) => [contract.kind, 0]));
  for (const jobId of runs.keys()) {
    const kind = kindOfJobId(jobId) ?? '';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

async function drain(
  workers: readonly JobWorker[],
  runs: ReadonlyMap<string, Run>,
  graceSeconds: number,
  logger: Logger,
): Promise<void> {
  const handBack = () => {
    for (const run of runs.values()) run.stop('shutdown');
  };
  let lateRuns: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => {
    logger.warn({ jobs: [...runs.keys()] }, 'these jobs are handed back');
    handBack();
    // A job that was taken at the last moment may not have begun yet.
    lateRuns = setInterval(handBack, lateRunsEveryMs);
  }, graceSeconds * 1_000);
  await Promise.all(workers.map(worker => worker.close()));
  clearTimeout(deadline);
  clearInterval(lateRuns);
}
