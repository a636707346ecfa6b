/** Writes the outcome of failed, stopped and deferred runs, and tells the queue what follows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import type { Logger } from 'pino';
import { outageOf } from '../../core/integrations/kit/upstream-error.ts';
import type { JobContract } from '../../core/jobs/contract.ts';
import type { OpenHandler } from '../../core/jobs/handler.ts';
import type { JobRecord } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';
import type { JobService } from '../../core/jobs/service.ts';
import { isOutage } from '../../core/postgres/pool-errors.ts';
import { asServiceError, problemOf, ServiceError } from '../../core/runtime/errors.ts';
import type { RunOutcome } from './measure-run.ts';
import { type Run, timeoutError } from './run.ts';

export interface RunnerContext {
  contract: JobContract;
  /** Of all kinds. */
  contracts: ReadonlyMap<string, JobContract>;
  handler: OpenHandler;
  records: JobRecords;
  jobs: JobService;
  logger: Logger;
  /** From `Queues`. */
  takeoverDelayMs: number;
  /** The runs of this process by job id. */
  runs: Map<string, Run>;
  /** Aborted when the worker stops. */
  stopping: AbortSignal;
}

export interface ActiveRun {
  run: Run;
  job: JobRecord;
  message: Job;
  /** Moves the message to another state. */
  token: string | undefined;
  logger: Logger;
  /** Called with the outcome before the queue receives it. */
  ended(outcome: RunOutcome): void;
}

/** How long writing an outcome is retried while the database is unavailable; then the run is repeated. */
const settleTimeoutMs = 60_000;

/** Delay of the next run after a database outage. */
export const outageDelayMs = 2_000;

/** Unless the contract says otherwise; then further failures count as attempts. */
const defaultMaxOutageMs = 6 * 3_600_000;
/** Delays grow from the contract's `backoffMs` with the time that the job has waited. */
const maxWaitDelayMs = 120_000;
/** So that jobs that wait for the same system do not all return at once. */
const jitterMs = 1_000;

/** Writes the outcome of a failed or stopped run. Returns, or throws the error that makes the queue retry, fail or requeue. */
export async function settleFailure(context: RunnerContext, active: ActiveRun, thrown: unknown): Promise<void> {
  const { contract, records } = context;
  const { run, message, token, logger, ended } = active;
  const reason = run.stopReason;
  if (reason === 'claim-lost') {
    ended('taken-over');
    logger.warn('another run has taken the job over');
    return;
  }
  if (reason === 'shutdown') {
    ended('handed-back');
    await settle(() => records.handBack(run.claim), logger);
    await message.moveToWait(token);
    logger.info('job handed back: the worker shuts down');
    throw new WaitingError();
  }
  if (reason === 'cancelled') {
    ended('cancelled');
    await settle(() => records.markCancelled(run.claim), logger);
    logger.info('job cancelled');
    throw new UnrecoverableError('cancelled');
  }
  if (reason === undefined && isOutage(thrown)) {
    // Not caused by the job, so the attempt does not count.
    ended('handed-back');
    await settle(() => records.handBack(run.claim), logger);
    await message.moveToDelayed(Date.now() + outageDelayMs, token);
    logger.warn('job handed back: the database is unavailable');
    throw new DelayedError();
  }
  const error = reason === 'timed-out' ? timeoutError(contract, run) : asServiceError(thrown);
  if (error.code === 'storage-full') await freeSpace(context, logger);
  const wait = waitFor(context, active, error);
  if (reason === undefined && wait) return await defer(context, active, error, wait);
  const scheduledAgain = error.transient && message.attemptsMade + 1 < contract.attempts;
  ended(scheduledAgain ? 'retried' : 'failed');
  const problem = problemOf(error, `/jobs/${run.claim.jobId}`);
  await settle(
    () =>
      records.fail(run.claim, {
        error: problem,
        warnings: run.warnings,
        sandboxes: [...run.sandboxes],
        scheduledAgain,
      }),
    logger,
  );
  logger.error({ err: error, scheduledAgain }, 'job failed');
  throw scheduledAgain ? error : new UnrecoverableError(error.message);
}

/** @returns the wait for an outside system or a store of results that fails, or for space on a disk; undefined for failures, and when it lasts too long */
function waitFor({ contract }: RunnerContext, { job }: ActiveRun, error: ServiceError) {
  const since = Math.max(job.startedAt?.getTime() ?? Date.now(), Date.parse(job.released?.at ?? '') || 0);
  const waitedMs = Date.now() - since;
  if (waitedMs >= (contract.maxOutageMs ?? defaultMaxOutageMs)) return undefined;
  const growingMs = Math.min(maxWaitDelayMs, Math.max(contract.backoffMs, waitedMs / 2));
  if (error.code === 'storage-full') return { because: error, delayMs: growingMs };
  const outage = outageOf(error);
  if (!outage && error.code !== 'storage-unavailable') return undefined;
  // While calls are paused, they may be sent again then.
  const delayMs = outage?.kind === 'paused' ? (outage.retryAfterMs ?? 0) : growingMs;
  return { because: new ServiceError('waiting-for-system', error.message), delayMs };
}

/** The attempt does not count. */
async function defer(
  { records }: RunnerContext,
  { run, message, token, logger, ended }: ActiveRun,
  error: ServiceError,
  { because, delayMs }: NonNullable<ReturnType<typeof waitFor>>,
): Promise<never> {
  ended('handed-back');
  const problem = {
    ...problemOf(because, `/jobs/${run.claim.jobId}`),
    ...(error.upstream && { upstream: error.upstream }),
  };
  await settle(() => records.defer(run.claim, { error: problem, sandboxes: [...run.sandboxes] }), logger);
  const delay = Math.ceil(delayMs + jitterMs * Math.random());
  await message.moveToDelayed(Date.now() + delay, token);
  logger.warn({ err: error, delayMs: delay }, `job deferred: ${because.title}`);
  throw new DelayedError();
}

async function freeSpace({ handler }: RunnerContext, logger: Logger): Promise<void> {
  await handler.freeSpace?.().catch(error => logger.warn({ err: error }, 'the caches could not be reduced'));
}

/** Writes an outcome; retries during a restart of the database. */
export async function settle(write: () => Promise<boolean>, logger: Logger): Promise<void> {
  const until = Date.now() + settleTimeoutMs;
  for (;;) {
    try {
      if (!(await write())) logger.warn('outcome not written: another run has taken the job over');
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      logger.warn({ err: error }, 'outcome not written; will be retried');
      await sleep(500);
    }
  }
}
