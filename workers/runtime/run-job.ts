/** The one wrapper around every handler: claim, parse, context, progress, time-out, cancel, outcome, retry or not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import type { Logger } from 'pino';
import { inCallScope } from '../../core/integrations/kit/call-context.ts';
import type { JobContract } from '../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess, OpenHandler } from '../../core/jobs/handler.ts';
import type { JobProcessor } from '../../core/jobs/queues.ts';
import type { JobRecord, JobRecords, Release } from '../../core/jobs/record.ts';
import type { JobDesk } from '../../core/jobs/service.ts';
import { isOutage } from '../../core/postgres/outage.ts';
import { asServiceError, ServiceError } from '../../core/runtime/errors.ts';
import { problemOf } from '../../core/runtime/problem.ts';
import { workingFor } from '../../core/telemetry/log-context.ts';
import { measureRun, type RunOutcome } from './measure-run.ts';
import { Run, stopError } from './run.ts';
import { endOfRun } from './run-outcome.ts';

/** How long a handler may take to notice that it was told to stop, in ms. */
const stopGraceMs = 2_000;
/** How long an outcome is kept while the database is away, in ms; then the run counts as failed and is repeated. */
const settlePatienceMs = 60_000;

/** A job that stepped back comes again by itself after this long, in ms, should nobody call it. */
const stepBackMs = 30_000;

/** Before a job that lost its database comes again, in ms. */
const afterOutageMs = 2_000;

export interface RunnerParts {
  contract: JobContract;
  handler: OpenHandler;
  records: JobRecords;
  desk: JobDesk;
  logger: Logger;
  /** As the queues say. */
  patienceMs: number;
  /** The runs of this process, by job id: told when a row changes, and when the worker shuts down. */
  runs: Map<string, Run>;
}

/** Makes the queue's processor of a handler. */
export function createProcessor(parts: RunnerParts): JobProcessor {
  return async (message, token) => {
    const { id } = message;
    if (id === undefined) throw new UnrecoverableError('a message without an id');
    return await workingFor({ jobId: id }, () => beginRun(parts, id, message, token));
  };
}

/** A run that has begun. */
interface UnderWay {
  run: Run;
  job: JobRecord;
  /** What the queue gave, with the token that moves it. */
  message: Job;
  token: string | undefined;
  logger: Logger;
  /** Told how the run ended, before the queue is. */
  ended(outcome: RunOutcome): void;
}

async function beginRun(parts: RunnerParts, id: string, message: Job, token: string | undefined) {
  const logger = parts.logger.child({ jobId: id, attempt: message.attemptsMade + 1 });
  const { timeoutMs } = parts.contract;
  const run = new Run(id, { timeoutMs, patienceMs: parts.patienceMs }, parts.records, logger);
  try {
    const { perClientConcurrency } = parts.contract;
    const job = await parts.records.begin(run.claim, message.attemptsMade + 1, perClientConcurrency);
    if (job === 'client-busy') return await stepBack(message, token);
    if (!job) return;
    parts.runs.set(job.id, run);
    const working = () => measureRun(job, ended => work(parts, { run, job, message, token, logger, ended }));
    const { requestId } = job;
    await workingFor(requestId === null ? {} : { requestId }, working).finally(() => callNext(parts, job));
  } finally {
    run.close();
    parts.runs.delete(id);
  }
}

/** Gives the place to another client's job, with no attempt used up; the end of a run calls this one again. */
async function stepBack(message: Job, token: string | undefined): Promise<never> {
  await message.moveToDelayed(Date.now() + stepBackMs, token);
  throw new DelayedError();
}

async function callNext({ contract, desk, logger }: RunnerParts, { clientId }: JobRecord): Promise<void> {
  if (contract.perClientConcurrency === undefined) return;
  await desk
    .callNext(contract, clientId)
    .catch(error => logger.warn({ err: error, clientId }, 'the next job was not called; it comes by itself'));
}

async function work(parts: RunnerParts, underWay: UnderWay): Promise<void> {
  const { run, job, logger, ended } = underWay;
  const begun = performance.now();
  logger.info({ waitedMs: Date.now() - job.createdAt.getTime() }, 'job begun');
  try {
    const done = await handle(parts, run, job, logger);
    const write = endOfRun(parts, run, job, done);
    run.close();
    await settle(write, logger);
    ended('held' in done ? 'held' : 'succeeded');
    const ms = Math.round(performance.now() - begun);
    logger.info({ ms, warnings: run.warnings.length }, 'held' in done ? 'job held' : 'job succeeded');
  } catch (error) {
    run.close();
    await settleFailure(parts, underWay, error);
  }
}

async function handle(
  parts: RunnerParts,
  run: Run,
  job: JobRecord,
  logger: Logger,
): Promise<JobSuccess<unknown> | JobHeld<unknown>> {
  const payload = parsePayload(parts.contract, job.payload);
  const context: JobContext = {
    jobId: job.id,
    clientId: job.clientId,
    attempt: job.attemptsMade,
    logger,
    signal: run.signal,
    progress: (stage, done, total, percent) => run.progress(stage, done, total, percent),
    warn: warning => run.warn(warning),
    checkpoint: run.checkpoint,
    confirmClaim: db => run.confirmClaim(db),
    ...(job.released && { released: await releasedPlan(parts.records, job.id, job.released) }),
  };
  const fence = () => run.fence();
  const scope = { priority: 'background', signal: run.signal, run: run.claim, fence } as const;
  const work = inCallScope(scope, ({ sandboxes }) => {
    run.sandboxes = sandboxes;
    return parts.handler.handle(payload, context);
  });
  return await Promise.race([work, run.whenStopped(stopGraceMs)]);
}

async function releasedPlan(
  records: JobRecords,
  jobId: string,
  { by, at }: Release,
): Promise<NonNullable<JobContext['released']>> {
  const held = await records.plan(jobId);
  if (!held) throw new Error(`the plan of the released job ${jobId} is gone`);
  return { plan: held.plan, by, at: new Date(at) };
}

function parsePayload(contract: JobContract, payload: unknown): unknown {
  const parsed = contract.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new ServiceError('internal-error', 'The job was written by another version of the service.', {
    cause: parsed.error,
    passing: false,
  });
}

/** Writes how the run ended and tells the queue what to do with the message: by returning, or by what it throws. */
async function settleFailure(
  { contract, records }: RunnerParts,
  { run, message, token, logger, ended }: UnderWay,
  thrown: unknown,
): Promise<void> {
  const reason = run.stopReason;
  if (reason === 'claim-lost') {
    ended('taken-over');
    logger.warn('another run took the job over');
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
    await settle(() => records.cancelled(run.claim), logger);
    logger.info('job cancelled');
    throw new UnrecoverableError('cancelled');
  }
  if (reason === undefined && isOutage(thrown)) {
    // No fault of the job: it comes again with no attempt used up.
    ended('handed-back');
    await settle(() => records.handBack(run.claim), logger);
    await message.moveToDelayed(Date.now() + afterOutageMs, token);
    logger.warn('job handed back: the database was away');
    throw new DelayedError();
  }
  const error = reason === 'timed-out' ? stopError(reason, contract.timeoutMs) : asServiceError(thrown);
  const scheduledAgain = error.passing && message.attemptsMade + 1 < contract.attempts;
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

/** Writes an outcome, also across a restart of the database. */
async function settle(write: () => Promise<boolean>, logger: Logger): Promise<void> {
  const until = Date.now() + settlePatienceMs;
  for (;;) {
    try {
      if (!(await write())) logger.warn('the outcome was not written: another run took the job over');
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      logger.warn({ err: error }, 'the outcome could not be written; trying again');
      await sleep(500);
    }
  }
}
