import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import type { Logger } from 'pino';
import { type BadRow, withCallContext } from '../../core/integrations/kit/call-context.ts';
import { type JobContract, kindOfJobId, mailJobId } from '../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess } from '../../core/jobs/handler.ts';
import type { JobProcessor } from '../../core/jobs/queues.ts';
import type { JobRecord, Release } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';
import { newJob } from '../../core/jobs/service.ts';
import { isOutage } from '../../core/postgres/pool-errors.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { withLogContext } from '../../core/telemetry/log-context.ts';
import { measureRun } from './measure-run.ts';
import { Run } from './run.ts';
import { type ActiveRun, outageDelayMs, type RunnerContext, settle, settleFailure } from './settle-failure.ts';

/** Time for a handler to react to its aborted signal. */
const stopGraceMs = 2_000;

export function createProcessor(context: RunnerContext): JobProcessor {
  return async (message, token) => {
    const { id } = message;
    if (id === undefined) throw new UnrecoverableError('a message without an id');
    // A queue that closes may still deliver the message that it was asked for before, such as one that this worker handed back.
    if (context.stopping.aborted) {
      await message.moveToWait(token);
      throw new WaitingError();
    }
    return await withLogContext({ jobId: id }, () => beginRun(context, id, message, token));
  };
}

async function beginRun(context: RunnerContext, id: string, message: Job, token: string | undefined) {
  const logger = context.logger.child({ jobId: id, attempt: message.attemptsMade + 1 });
  const { timeoutMs } = context.contract;
  const run = new Run(id, { timeoutMs, takeoverDelayMs: context.takeoverDelayMs }, context.records, logger);
  try {
    const job = await context.records.begin(run.claim, message.attemptsMade + 1).catch(error => {
      if (!isOutage(error)) throw error;
      logger.warn({ err: error }, 'the job is not begun: the database is unavailable');
      return defer(message, token, outageDelayMs);
    });
    if (!job) return;
    context.runs.set(job.id, run);
    const working = () => measureRun(job, ended => work(context, { run, job, message, token, logger, ended }));
    const { requestId } = job;
    await withLogContext(requestId === null ? {} : { requestId }, working);
  } finally {
    run.close();
    context.runs.delete(id);
  }
}

/** Frees the slot for another job; does not count as an attempt. */
async function defer(message: Job, token: string | undefined, ms: number): Promise<never> {
  await message.moveToDelayed(Date.now() + ms, token);
  throw new DelayedError();
}

async function work(context: RunnerContext, active: ActiveRun): Promise<void> {
  const { run, job, logger, ended } = active;
  const begun = performance.now();
  logger.info({ waitedMs: Date.now() - job.createdAt.getTime() }, 'job begun');
  try {
    const done = await handle(context, run, job, logger);
    const write = outcomeWrite(context, run, job, done);
    run.close();
    await settle(write, logger);
    ended('held' in done ? 'held' : 'succeeded');
    if ('mail' in done && done.mail) await enqueueMail(context, job.id);
    const ms = Math.round(performance.now() - begun);
    logger.info({ ms, warnings: run.warnings.length }, 'held' in done ? 'job held' : 'job succeeded');
  } catch (error) {
    run.close();
    await settleFailure(context, active, error);
  }
}

async function handle(
  context: RunnerContext,
  run: Run,
  job: JobRecord,
  logger: Logger,
): Promise<JobSuccess<unknown> | JobHeld<unknown>> {
  const payload = parsePayload(context.contract, job.payload);
  const jobContext: JobContext = {
    jobId: job.id,
    clientId: job.clientId,
    attempt: job.attemptsMade,
    logger,
    signal: run.signal,
    progress: (...reported) => run.progress(...reported),
    warn: warning => run.warn(warning),
    checkpoint: run.checkpoint,
    confirmClaim: db => run.confirmClaim(db),
    ...(job.released && { released: await releasedPlan(context.records, job.id, job.released) }),
  };
  const onBadRow = (row: BadRow) => logger.warn({ row }, 'a row of an outside system could not be read');
  const work = withCallContext({ ...scopeOf(run), onBadRow }, ({ sandboxes, waits, badRows }) => {
    run.sandboxes = sandboxes;
    run.badRows = badRows;
    run.waits = waits;
    return context.handler.handle(payload, jobContext);
  });
  return await run.unlessStopped(work, stopGraceMs);
}

/** In a function of its own: the HTTP client's timers hold it after the run, and must not hold the plan. */
const scopeOf = (run: Run) =>
  ({ priority: 'background', signal: run.signal, run: run.claim, fence: () => run.fence() }) as const;

async function releasedPlan(
  records: JobRecords,
  jobId: string,
  { by, at }: Release,
): Promise<NonNullable<JobContext['released']>> {
  const plan = await records.releasedPlan(jobId);
  if (plan === undefined) throw new Error(`the released job ${jobId} has no plan`);
  return { plan, by, at: new Date(at) };
}

function parsePayload(contract: JobContract, payload: unknown): unknown {
  const parsed = contract.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new ServiceError('internal-error', 'The payload does not match this version of the service.', {
    cause: parsed.error,
    transient: false,
  });
}

/**
 * Returns the write of a successful or held run's outcome, which may be repeated.
 * @throws ZodError when the result does not match the contract
 */
function outcomeWrite(
  { contract, contracts, records }: RunnerContext,
  { claim, warnings, sandboxes: used }: Run,
  { id, clientId, exclusiveKey }: JobRecord,
  done: JobSuccess<unknown> | JobHeld<unknown>,
): () => Promise<boolean> {
  const sandboxes = [...used];
  if ('held' in done) {
    const { changes = [] } = done.held;
    const held = {
      result: contract.result.parse(done.held.report),
      plan: done.held.plan,
      changes: typeof changes === 'function' ? changes : () => changes,
      warnings,
      sandboxes,
    };
    return () => records.hold(claim, held);
  }
  const result = contract.result.parse(done.result);
  const outcome = {
    progress: { stage: 'done', done: 1, total: 1, percent: 100 },
    result,
    file: done.file ?? null,
    warnings,
    sandboxes,
    resultHours: contract.resultHours,
    supersedes: exclusiveKey !== null && !isDryRun(result),
    mail: done.mail && newJob(mailContract(id, contracts), { id: mailJobId(id), clientId, payload: done.mail }),
  };
  return () => records.succeed(claim, outcome);
}

function mailContract(jobId: string, contracts: RunnerContext['contracts']): JobContract {
  const contract = contracts.get(kindOfJobId(mailJobId(jobId)) ?? '');
  if (contract) return contract;
  throw new Error(`there is no kind of job that mails the result of ${jobId}`);
}

/** The row is committed: if the queue cannot be reached, the reconciler enqueues the job later. */
async function enqueueMail({ contracts, jobs, records, logger }: RunnerContext, jobId: string): Promise<void> {
  try {
    const mail = await records.find(mailJobId(jobId));
    // A repeated run of the job finds the mail job of its first one.
    if (mail?.state === 'queued') await jobs.requeue(mailContract(jobId, contracts), mail);
  } catch (error) {
    logger.warn({ err: error }, 'the mail job could not be enqueued; the reconciler enqueues it later');
  }
}

/** A dry run changes nothing, so it does not supersede held jobs. */
const isDryRun = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'dryRun' in result && result.dryRun === true;
