/** Reconciles job rows and queues: requeues lost jobs and cancels overdue ones. */
import type { Logger } from 'pino';
import { type Problem, problemOf, ServiceError } from '../runtime/errors.ts';
import { mapConcurrent } from '../runtime/map-concurrent.ts';
import type { JobContract } from './contract.ts';
import type { JobQueue, Queues } from './queues.ts';
import type { JobRecord } from './record.ts';
import type { JobEvents } from './repository/events.ts';
import type { JobRecords } from './repository/repository.ts';
import type { JobService } from './service.ts';

/** A job whose row changed within this time is left alone: its message may be on the way, or its run is in progress. */
const staleAfterMs = 20_000;
const pageSize = 500;
/** Jobs of a page that are checked at once. */
const parallelChecks = 20;

export interface ReconcilerContext {
  queues: Queues;
  records: JobRecords;
  events: Pick<JobEvents, 'add'>;
  jobs: JobService;
  logger: Logger;
}

/** One pass over all stale jobs of the given kinds, page by page. Idempotent; safe to run in two processes at once. */
export async function reconcileJobs(
  contracts: ReadonlyMap<string, JobContract>,
  context: ReconcilerContext,
  signal?: AbortSignal,
) {
  const { records, events, logger } = context;
  const startedAt = performance.now();
  const cancelled = await records.cancelOverdue();
  if (cancelled > 0) logger.info({ jobs: cancelled }, 'jobs cancelled: no run before their startBy');
  const counts = { cancelled, checked: 0, requeued: 0 };
  for (let isLast = false; !isLast && !signal?.aborted; ) {
    // The jobs that this pass has marked become stale while it lasts.
    const stale = await records.findStale(staleAfterMs + performance.now() - startedAt, pageSize);
    const lost = await mapConcurrent(stale, { limit: parallelChecks }, job => checkJob(job, contracts, context));
    const requeued = lost.filter(id => id !== undefined);
    await events.add(requeued, 'put-back', {});
    await records.markChecked(stale.map(job => job.id));
    if (requeued.length > 0) logger.info({ jobs: requeued.length }, 'lost jobs requeued');
    counts.checked += stale.length;
    counts.requeued += requeued.length;
    isLast = stale.length < pageSize;
  }
  return counts;
}

/** Requeues the job when its message is lost. @returns the id of a lost job */
async function checkJob(
  job: JobRecord,
  contracts: ReadonlyMap<string, JobContract>,
  { queues, jobs }: ReconcilerContext,
): Promise<string | undefined> {
  const contract = contracts.get(job.kind);
  if (!contract) return undefined;
  const message = await queues.queue(contract).getJob(job.id);
  if (!(await isLost(message))) return undefined;
  await jobs.requeue(contract, job);
  return job.id;
}

/** A completed or failed message counts as lost, because the row says that the job is open. */
async function isLost(message: Awaited<ReturnType<JobQueue['getJob']>>): Promise<boolean> {
  if (!message) return true;
  const state = await message.getState();
  return state === 'completed' || state === 'failed' || state === 'unknown';
}

/** The problem of a job that the queue gave up. */
export const workerDiedProblem = (jobId: string): Problem =>
  problemOf(
    new ServiceError(
      'worker-died',
      'Several workers died while they ran this job, so it was stopped. It can be retried.',
    ),
    `/jobs/${jobId}`,
  );
