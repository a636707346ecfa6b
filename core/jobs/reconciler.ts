/** Finds accepted jobs that are in no queue, jobs the queue gave up on and jobs that are too late, and sets them right. */
import type { Logger } from 'pino';
import type { Problem } from '../runtime/problem.ts';
import type { JobContract } from './contract.ts';
import type { JobEvents } from './event.ts';
import type { JobQueue, Queues } from './queues.ts';
import type { JobRecords } from './record.ts';
import type { JobDesk } from './service.ts';

/** A job whose row changed within this time is left alone: its message may be on the way, or its run going on. */
const quietMs = 20_000;
const batch = 500;

type Message = Awaited<ReturnType<JobQueue['getJob']>>;

export interface SweepReport {
  /** Jobs that were given new turns, because the old ones had grown too high. */
  turned: number;
  /** Jobs that nobody waits for any more. */
  dropped: number;
  looked: number;
  putBack: number;
}

/** One pass over the quiet jobs of the given kinds; repeatable, and harmless when two processes do it at once. */
export async function sweepJobs(
  contracts: ReadonlyMap<string, JobContract>,
  parts: {
    queues: Queues;
    records: JobRecords;
    events: Pick<JobEvents, 'add'>;
    desk: JobDesk;
    logger: Logger;
  },
): Promise<SweepReport> {
  const dropped = await parts.records.dropLate();
  if (dropped > 0) parts.logger.info({ jobs: dropped }, 'dropped: not begun by their startBy');
  const turned = await parts.records.countTurnsAnew();
  const jobs = await parts.records.quiet(quietMs, batch);
  let putBack = 0;
  for (const job of jobs) {
    const contract = contracts.get(job.kind);
    const message = contract && (await parts.queues.queue(contract).getJob(job.id));
    if (contract && (await isLost(message))) {
      await parts.desk.putInQueue(contract, job);
      await parts.events.add(job.id, 'put-back', {});
      parts.logger.info({ jobId: job.id, state: job.state }, 'the job was in no queue; put back');
      putBack++;
    } else if (message && job.state === 'queued' && message.priority !== job.turn) {
      await message.changePriority({ priority: job.turn });
    }
  }
  await parts.records.markQuietChecked(jobs.map(job => job.id));
  return { turned, dropped, looked: jobs.length, putBack };
}

/** Completed and failed messages count as lost: the row says that the job is not over. */
async function isLost(message: Message): Promise<boolean> {
  if (!message) return true;
  const state = await message.getState();
  return state === 'completed' || state === 'failed' || state === 'unknown';
}

/** What a job says whose workers kept dying. */
export const workersKeptDying = (jobId: string): Problem => ({
  type: 'urn:portal-service:problem:worker-died',
  title: 'The worker died',
  status: 500,
  detail: 'The processes that worked on this job died several times; it was set aside. It can be run again.',
  instance: `/jobs/${jobId}`,
});
