/** Reconciles job rows and queues: requeues lost jobs, cancels overdue ones, corrects priorities. */
import type { Logger } from 'pino';
import type { Problem } from '../runtime/errors.ts';
import type { JobContract } from './contract.ts';
import type { JobQueue, Queues } from './queues.ts';
import type { JobEvents } from './repository/events.ts';
import type { JobRecords } from './repository/repository.ts';
import type { JobService } from './service.ts';

/** A job whose row changed within this time is left alone: its message may be on the way, or its run is in progress. */
const staleAfterMs = 20_000;
const batchSize = 500;

type Message = Awaited<ReturnType<JobQueue['getJob']>>;

export interface ReconcilerContext {
  queues: Queues;
  records: JobRecords;
  events: Pick<JobEvents, 'add'>;
  jobs: JobService;
  logger: Logger;
}

/** One pass over the stale jobs of the given kinds. Idempotent; safe to run in two processes at once. */
export async function reconcileJobs(
  contracts: ReadonlyMap<string, JobContract>,
  { queues, records, events, jobs, logger }: ReconcilerContext,
) {
  const cancelled = await records.cancelOverdue();
  if (cancelled > 0) logger.info({ jobs: cancelled }, 'jobs cancelled: no run before their startBy');
  const renumbered = await records.renumber();
  const stale = await records.findStale(staleAfterMs, batchSize);
  let requeued = 0;
  for (const job of stale) {
    const contract = contracts.get(job.kind);
    const message = contract && (await queues.queue(contract).getJob(job.id));
    if (contract && (await isLost(message))) {
      await jobs.requeue(contract, job);
      await events.add(job.id, 'put-back', {});
      logger.info({ jobId: job.id, state: job.state }, 'lost job requeued');
      requeued++;
    } else if (message && job.state === 'queued' && message.priority !== job.fairOrder) {
      await message.changePriority({ priority: job.fairOrder });
    }
  }
  await records.markChecked(stale.map(job => job.id));
  return { renumbered, cancelled, checked: stale.length, requeued };
}

/** A completed or failed message counts as lost, because the row says that the job is open. */
async function isLost(message: Message): Promise<boolean> {
  if (!message) return true;
  const state = await message.getState();
  return state === 'completed' || state === 'failed' || state === 'unknown';
}

/** The problem of a job that the queue gave up. */
export const workerDiedProblem = (jobId: string): Problem => ({
  type: 'urn:portal-service:problem:worker-died',
  title: 'The worker died',
  status: 500,
  detail: 'Several workers died while they ran this job, so it was stopped. It can be retried.',
  instance: `/jobs/${jobId}`,
});
