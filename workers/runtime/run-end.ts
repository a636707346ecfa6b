/** How a run ends: decided as a value, written to the row in one place, then passed on to the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import type { Logger } from 'pino';
import { outageOf } from '../../core/integrations/kit/upstream-error.ts';
import { type JobContract, kindOfJobId, mailJobId } from '../../core/jobs/contract.ts';
import type { JobHeld, JobSuccess, OpenHandler } from '../../core/jobs/handler.ts';
import type { JobRecord } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';
import { type JobService, newJob } from '../../core/jobs/service.ts';
import { isOutage } from '../../core/postgres/pool-errors.ts';
import { asServiceError, problemOf, ServiceError } from '../../core/runtime/errors.ts';
import { type Run, timeoutError } from './run.ts';

export interface RunnerContext {
  contract: JobContract;
  /** The contracts of all kinds. */
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
  /** 1 for the first. */
  attempt: number;
  /** By `performance.now()`. */
  begunAt: number;
  logger: Logger;
}

export interface RunEnd {
  outcome: 'succeeded' | 'held' | 'failed' | 'retried' | 'cancelled' | 'handed-back' | 'taken-over';
  /** Writes the row; may be repeated. Returns false when another run has taken the job over. */
  write: () => Promise<boolean>;
  /** What the queue does with the message. */
  next: QueueStep;
  log: { level: 'info' | 'warn' | 'error'; text: string; fields?: object };
}

type QueueStep = 'complete' | 'requeue' | { delayMs: number } | { retryAfter: ServiceError } | { failWith: string };

/** How long writing an end is retried while the database is unavailable; then the run is repeated. */
const writeTimeoutMs = 60_000;

/** Delay of the next run after a database outage. */
export const outageDelayMs = 2_000;

/** Unless the contract says otherwise; then further failures count as attempts. */
const defaultMaxOutageMs = 6 * 3_600_000;
/** Delays grow from the contract's `backoffMs` with the time that the job has waited. */
const maxWaitDelayMs = 120_000;
/** So that jobs that wait for the same system do not all return at once. */
const jitterMs = 1_000;

/** @throws ZodError when the result does not match the contract */
export function endOfSuccess(
  { contract, contracts, records }: RunnerContext,
  { run: { claim, warnings, sandboxes: used }, job: { id, clientId, exclusiveKey }, begunAt }: ActiveRun,
  done: JobSuccess<unknown> | JobHeld<unknown>,
): RunEnd {
  const sandboxes = [...used];
  const fields = { ms: Math.round(performance.now() - begunAt), warnings: warnings.length };
  if ('held' in done) {
    const { report, plan, changes = [] } = done.held;
    const changesOf = typeof changes === 'function' ? changes : () => changes;
    const held = { result: contract.result.parse(report), plan, changes: changesOf, warnings, sandboxes };
    const log = { level: 'info', text: 'job held', fields } as const;
    return { outcome: 'held', write: () => records.hold(claim, held), next: 'complete', log };
  }
  const result = contract.result.parse(done.result);
  const succeeded = {
    progress: { stage: 'done', done: 1, total: 1, percent: 100 },
    result,
    file: done.file ?? null,
    warnings,
    sandboxes,
    resultHours: contract.resultHours,
    supersedes: exclusiveKey !== null && !isDryRun(result),
    mail: done.mail && newJob(mailContract(id, contracts), { id: mailJobId(id), clientId, payload: done.mail }),
  };
  const log = { level: 'info', text: 'job succeeded', fields } as const;
  return { outcome: 'succeeded', write: () => records.succeed(claim, succeeded), next: 'complete', log };
}

/** A dry run changes nothing, so it does not supersede held jobs. */
const isDryRun = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'dryRun' in result && result.dryRun === true;

export function mailContract(jobId: string, contracts: RunnerContext['contracts']): JobContract {
  const contract = contracts.get(kindOfJobId(mailJobId(jobId)) ?? '');
  if (contract) return contract;
  throw new Error(`there is no kind of job that mails the result of ${jobId}`);
}

/** The end of a run that failed or was stopped. */
export async function endOfFailure(context: RunnerContext, active: ActiveRun, thrown: unknown): Promise<RunEnd> {
  const { contract, handler, records } = context;
  const { run, logger } = active;
  const handBack = () => records.handBack(run.claim);
  switch (run.stopReason) {
    case 'claim-lost': {
      const log = { level: 'warn', text: 'another run has taken the job over' } as const;
      return { outcome: 'taken-over', write: async () => true, next: 'complete', log };
    }
    case 'shutdown': {
      const log = { level: 'info', text: 'job handed back: the worker shuts down' } as const;
      return { outcome: 'handed-back', write: handBack, next: 'requeue', log };
    }
    case 'cancelled': {
      const log = { level: 'info', text: 'job cancelled' } as const;
      const write = () => records.markCancelled(run.claim);
      return { outcome: 'cancelled', write, next: { failWith: 'cancelled' }, log };
    }
    case 'timed-out':
      return failed(context, active, timeoutError(contract, run));
    case undefined:
  }
  if (isOutage(thrown)) {
    // Not caused by the job, so the attempt does not count.
    const log = { level: 'warn', text: 'job handed back: the database is unavailable' } as const;
    return { outcome: 'handed-back', write: handBack, next: { delayMs: outageDelayMs }, log };
  }
  const error = asServiceError(thrown);
  if (error.code === 'storage-full')
    await handler.freeSpace?.().catch(err => logger.warn({ err }, 'the caches could not be reduced'));
  const wait = waitFor(contract, active.job, error);
  return wait ? deferred(context, active, error, wait) : failed(context, active, error);
}

function failed({ contract, records }: RunnerContext, { run, attempt }: ActiveRun, error: ServiceError): RunEnd {
  const scheduledAgain = error.transient && attempt < contract.attempts;
  const failure = {
    error: problemOf(error, `/jobs/${run.claim.jobId}`),
    warnings: run.warnings,
    sandboxes: [...run.sandboxes],
    scheduledAgain,
  };
  return {
    outcome: scheduledAgain ? 'retried' : 'failed',
    write: () => records.fail(run.claim, failure),
    next: scheduledAgain ? { retryAfter: error } : { failWith: error.message },
    log: { level: 'error', text: 'job failed', fields: { err: error, scheduledAgain } },
  };
}

/** @returns the wait for an outside system or a store of results that fails, or for space on a disk; undefined for failures, and when it lasts too long */
function waitFor(contract: JobContract, job: JobRecord, error: ServiceError) {
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
function deferred(
  { records }: RunnerContext,
  { run }: ActiveRun,
  error: ServiceError,
  wait: NonNullable<ReturnType<typeof waitFor>>,
): RunEnd {
  const delayMs = Math.ceil(wait.delayMs + jitterMs * Math.random());
  const problem = {
    ...problemOf(wait.because, `/jobs/${run.claim.jobId}`),
    ...(error.upstream && { upstream: error.upstream }),
  };
  return {
    outcome: 'handed-back',
    write: () => records.defer(run.claim, { error: problem, sandboxes: [...run.sandboxes] }),
    next: { delayMs },
    log: { level: 'warn', text: `job deferred: ${wait.because.title}`, fields: { err: error, delayMs } },
  };
}

/** Writes the end to the row; retries during a restart of the database. */
export async function writeEnd({ write, log }: RunEnd, logger: Logger): Promise<void> {
  const until = Date.now() + writeTimeoutMs;
  for (;;) {
    try {
      if (!(await write())) logger.warn('outcome not written: another run has taken the job over');
      logger[log.level](log.fields ?? {}, log.text);
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      logger.warn({ err: error }, 'outcome not written; will be retried');
      await sleep(500);
    }
  }
}

/** @throws the error by which the queue knows that the message is not complete */
export async function tellQueue(next: QueueStep, message: Job, token: string | undefined): Promise<void> {
  if (next === 'complete') return;
  if (next === 'requeue') {
    await message.moveToWait(token);
    throw new WaitingError();
  }
  if ('delayMs' in next) {
    await message.moveToDelayed(Date.now() + next.delayMs, token);
    throw new DelayedError();
  }
  throw 'retryAfter' in next ? next.retryAfter : new UnrecoverableError(next.failWith);
}
