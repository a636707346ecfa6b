/** Takes jobs in and tells workers about them: the row first, then the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Actor } from '../runtime/actor.ts';
import { ServiceError } from '../runtime/errors.ts';
import { type JobContract, newJobId } from './contract.ts';
import type { JobQueue, Queues } from './queues.ts';
import type { JobRecord, JobRecords, JobTerms, NewJob } from './record.ts';

export interface JobDesk {
  /**
   * Accepts a job. Once this returns the job is not lost: its row is committed, and if the queue cannot be reached
   * just now the sweeper puts it there later. While another job does the same work (`exclusive`), that one is
   * answered, and nothing is made: the caller tells it by its id. One whose result is known already (`reusable`) has
   * succeeded when this returns, and is in no queue; with a callback it is queued, so that its end is told as always.
   */
  submit(contract: JobContract, job: Submission): Promise<JobRecord>;
  /**
   * Cancels a waiting job at once, asks a running one to stop. Undefined when there is no such job.
   * @param by told to the audit trail; absent: its own client, which the trail does not keep
   */
  cancel(contract: JobContract, jobId: string, by?: Actor): Promise<JobRecord | undefined>;
  /**
   * @param by as with `cancel`
   * @throws ServiceError conflict when the job has not failed and was not cancelled
   */
  retry(contract: JobContract, jobId: string, by?: Actor): Promise<JobRecord>;
  /**
   * Lets a held job go on with its plan.
   * @throws ServiceError conflict when the job is not held, or another one does the same work just now
   */
  release(contract: JobContract, jobId: string, by: Actor): Promise<JobRecord>;
  /** Tells the queue of a job whose row was written elsewhere; never rejects, for the sweeper makes up for it. */
  announce(contract: JobContract, job: QueuedJob): Promise<void>;
  /** Puts the message of an accepted job (back) into its queue; what is left of an old message is removed. */
  putInQueue(contract: JobContract, job: QueuedJob): Promise<void>;
  /** A client may run one more job of the kind: calls the first that stepped back because of its limit. */
  callNext(contract: JobContract, clientId: string): Promise<void>;
}

export interface Submission extends JobTerms {
  clientId: string;
  payload: unknown;
  /** Chosen beforehand where the request may come again; a job that has it already is not made a second time. */
  id?: string | undefined;
  /** What goes before the job's row, such as storing its input; left out for a job whose result is known already. */
  prepare?(): Promise<void>;
}

/** What a contract makes of a payload: the row's own part of it. */
export function newJobRow(
  contract: JobContract,
  given: unknown,
  id = newJobId(contract.kind),
): Pick<NewJob, 'id' | 'kind' | 'payload' | 'exclusiveKey' | 'attemptsMax'> {
  const payload = contract.payload.parse(given);
  const exclusiveKey = contract.exclusive?.(payload);
  return { id, kind: contract.kind, payload, exclusiveKey, attemptsMax: contract.attempts };
}

type QueuedJob = Pick<JobRecord, 'id' | 'payload' | 'turn'>;

/** How long a request waits for the queue before it leaves the job to the sweeper, in ms. */
const queuePatienceMs = 1_000;

export function openJobDesk(queues: Queues, records: JobRecords, logger: Logger): JobDesk {
  const add = async (contract: JobContract, job: QueuedJob) => {
    await queues.queue(contract).add(contract.kind, job.payload, {
      jobId: job.id,
      priority: job.turn,
      attempts: contract.attempts,
      backoff: { type: 'exponential', delay: contract.backoffMs, jitter: 0.5 },
    });
  };

  const replace = async (contract: JobContract, job: QueuedJob) => {
    // The row says that the run ended a moment before its worker lets go of the message.
    const until = Date.now() + queuePatienceMs / 2;
    while (!(await removeMessage(queues.queue(contract), job.id, logger)) && Date.now() < until)
      await sleep(20);
    await add(contract, job);
  };

  const announce = async (contract: JobContract, job: QueuedJob, again = false) => {
    try {
      await within(queuePatienceMs, again ? replace(contract, job) : add(contract, job));
    } catch (error) {
      logger.warn({ err: error, jobId: job.id }, 'the queue did not take the job; the sweeper will bring it');
    }
  };

  return {
    async submit(contract, { id, payload, prepare, ...given }) {
      const wanted = newJobRow(contract, payload, id);
      if (contract.reusable && given.callbackUrl === undefined) {
        const answered = await records.reuse({ ...given, ...wanted });
        if (answered) return answered;
      }
      await prepare?.();
      const job = await records.create({ ...given, ...wanted });
      if (job.id === wanted.id) await announce(contract, job);
      return job;
    },

    async cancel(contract, jobId, by) {
      const job = await records.requestCancel(jobId, by);
      if (job?.state === 'cancelled') await removeMessage(queues.queue(contract), jobId, logger);
      return job;
    },

    async retry(contract, jobId, by) {
      const job = await records.requeue(jobId, by);
      if (!job)
        throw new ServiceError(
          'conflict',
          'Only a failed or cancelled job can be run again; a held one is released.',
        );
      await announce(contract, job, true);
      return job;
    },

    async release(contract, jobId, by) {
      const job = await records.release(jobId, by);
      if (!job) throw new ServiceError('conflict', 'Only a held job can be released.');
      await announce(contract, job, true);
      return job;
    },

    announce: (contract, job) => announce(contract, job),

    async putInQueue(contract, job) {
      await removeMessage(queues.queue(contract), job.id, logger);
      await add(contract, job);
    },

    async callNext(contract, clientId) {
      const next = await records.nextOf(contract.kind, clientId, contract.perClientConcurrency ?? 1);
      for (const jobId of next) {
        const message = await queues.queue(contract).getJob(jobId);
        // One that waits in the queue is as good as called; its place is taken into account.
        if (message && (await message.isDelayed())) return await message.promote();
      }
    },
  };
}

/**
 * An old message under the same id would make BullMQ drop the new one silently.
 * @returns false when it is still there
 */
async function removeMessage(queue: JobQueue, jobId: string, logger: Logger): Promise<boolean> {
  try {
    const message = await queue.getJob(jobId);
    await message?.remove();
    return true;
  } catch (error) {
    // A worker holds it: it reads the row before it works, so the message does no harm.
    logger.debug({ err: error, jobId }, 'the message could not be removed');
    return false;
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  return Promise.race([
    work,
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    ),
  ]);
}
