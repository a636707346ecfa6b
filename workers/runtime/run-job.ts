/** Runs the job of a message: claims its row, calls its handler, writes the end, and tells the queue what follows. */
import { type Job, UnrecoverableError } from 'bullmq';
import type { Logger } from 'pino';
import { type BadRow, withCallContext } from '../../core/integrations/kit/call-context.ts';
import { type JobContract, mailJobId } from '../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess } from '../../core/jobs/handler.ts';
import type { JobProcessor } from '../../core/jobs/queues.ts';
import { type JobRecord, type Release, waitOf } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';
import { isOutage } from '../../core/postgres/pool-errors.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { withLogContext } from '../../core/telemetry/log-context.ts';
import { jobRetries, jobRunSeconds, jobWaitSeconds } from '../../core/telemetry/meter.ts';
import { openSpan } from '../../core/telemetry/spans.ts';
import { Run } from './run.ts';
import {
  type ActiveRun,
  endOfFailure,
  endOfSuccess,
  mailContract,
  outageDelayMs,
  type RunEnd,
  type RunnerContext,
  tellQueue,
  writeEnd,
} from './run-end.ts';

/** Time for a handler to react to its aborted signal. */
const stopGraceMs = 2_000;

export function createProcessor(context: RunnerContext): JobProcessor {
  return async (message, token) => {
    const { id } = message;
    if (id === undefined) throw new UnrecoverableError('a message without an id');
    // A queue that closes may still deliver the message that it was asked for before, such as one that this worker handed back.
    if (context.stopping.aborted) return await tellQueue('requeue', message, token);
    return await withLogContext({ jobId: id }, () => runJob(context, id, message, token));
  };
}

async function runJob(context: RunnerContext, id: string, message: Job, token: string | undefined): Promise<void> {
  const attempt = message.attemptsMade + 1;
  const logger = context.logger.child({ jobId: id, attempt });
  const { timeoutMs } = context.contract;
  const run = new Run(id, { timeoutMs, takeoverDelayMs: context.takeoverDelayMs }, context.records, logger);
  try {
    const job = await context.records.begin(run.claim, attempt).catch(error => {
      if (!isOutage(error)) throw error;
      logger.warn({ err: error }, 'the job is not begun: the database is unavailable');
      return 'unknown' as const;
    });
    if (job === 'unknown') return await tellQueue({ delayMs: outageDelayMs }, message, token);
    if (!job) return;
    context.runs.set(job.id, run);
    const { requestId } = job;
    const working = () =>
      measureRun(job, () => work(context, { run, job, attempt, logger, begunAt: performance.now() }));
    const { next } = await withLogContext(requestId === null ? {} : { requestId }, working);
    await tellQueue(next, message, token);
  } finally {
    run.close();
    context.runs.delete(id);
  }
}

/** Metrics and span of one run. */
async function measureRun(job: JobRecord, work: () => Promise<RunEnd>): Promise<RunEnd> {
  const { kind } = job;
  // Retries, and jobs that waited for an outside system or for space, wait on purpose.
  if (job.attemptsMade === 1 && !waitOf(job))
    jobWaitSeconds.observe({ kind }, Math.max(0, Date.now() - job.queuedAt.getTime()) / 1_000);
  const stop = jobRunSeconds.startTimer({ kind });
  const span = openSpan(`job ${kind}`, { role: 'internal', attributes: attributesOf(job) });
  let outcome: RunEnd['outcome'] = 'failed';
  try {
    const end = await (span ? span.within(work) : work());
    ({ outcome } = end);
    return end;
  } finally {
    stop({ outcome });
    if (outcome === 'retried') jobRetries.inc({ kind });
    span?.set({ 'portal.job.outcome': outcome });
    span?.end(outcome === 'failed' || outcome === 'retried' ? outcome : undefined);
  }
}

const attributesOf = (job: JobRecord) => ({
  'portal.job.id': job.id,
  'portal.job.kind': job.kind,
  'portal.job.attempt': job.attemptsMade,
  'portal.client.id': job.clientId,
  'portal.request.id': job.requestId ?? undefined,
});

/** @returns the end of the run, which its row has */
async function work(context: RunnerContext, active: ActiveRun): Promise<RunEnd> {
  const { run, job, logger } = active;
  logger.info({ waitedMs: Date.now() - job.createdAt.getTime() }, 'job begun');
  try {
    const done = await handle(context, run, job, logger);
    const end = endOfSuccess(context, active, done);
    run.close();
    await writeEnd(end, logger);
    if ('mail' in done && done.mail) await enqueueMail(context, job.id);
    return end;
  } catch (error) {
    run.close();
    const end = await endOfFailure(context, active, error);
    await writeEnd(end, logger);
    return end;
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
