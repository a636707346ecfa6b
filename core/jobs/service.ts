/** Accepts, cancels, retries and releases jobs: first the row in PostgreSQL, then the message in the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Actor } from '../runtime/actor.ts';
import { ServiceError } from '../runtime/errors.ts';
import { untilAborted } from '../runtime/timeout.ts';
import type { Store } from '../storage/store.ts';
import { type JobContract, newJobId } from './contract.ts';
import type { JobQueue, Queues } from './queues.ts';
import { finalStates, type JobOptions, type JobRecord, type NewJob } from './record.ts';
import type { JobRecords } from './repository/repository.ts';

export type JobService = ReturnType<typeof openJobService>;

export interface Submission extends JobOptions, Pick<NewJob, 'clientId' | 'payload' | 'inputs' | 'maxOpen'> {
  /** Given when the request may be repeated: a job with this id is inserted once. */
  id?: string | undefined;
}

/** @throws ZodError when the payload does not match the contract */
export function newJob(contract: JobContract, { id, payload: given, ...terms }: Submission): NewJob {
  const payload = contract.payload.parse(given);
  return {
    ...terms,
    id: id ?? newJobId(contract.kind),
    kind: contract.kind,
    payload,
    exclusiveKey: contract.exclusive?.(payload),
    attemptsMax: contract.attempts,
  };
}

type QueuedJob = Pick<JobRecord, 'id' | 'payload' | 'priority'>;

/** How long a request waits for the queue before it leaves the job to the reconciler. */
const queueTimeoutMs = 1_000;

export interface JobServiceParts {
  queues: Queues;
  records: JobRecords;
  /** The result store. */
  results: Pick<Store, 'has'>;
  logger: Logger;
}

export function openJobService({ queues, records, results, logger }: JobServiceParts) {
  const messages = openMessages(queues, logger);
  return {
    ...createSubmissions(records, messages),
    ...createDecisions(records, messages, results),

    /** Puts the message of an accepted job back into its queue, replacing an old one. */
    requeue: messages.replace,
  };
}

type Messages = ReturnType<typeof openMessages>;

function createSubmissions(records: JobRecords, messages: Messages) {
  async function submitWith<T extends { job: JobRecord | undefined }>(
    contract: JobContract,
    submission: Submission,
    insert: (job: NewJob) => Promise<T>,
  ): Promise<T> {
    const job = newJob(contract, submission);
    const inserted = await insert(job);
    if (inserted.job?.id === job.id) await messages.enqueue(contract, inserted.job);
    return inserted;
  }

  return {
    /** `submit` with an insert of the caller's, which returns the job's row or another open job. */
    submitWith,

    /**
     * Inserts the job's row and enqueues it. Once this returns the job is not lost: the row is committed, and the
     * reconciler enqueues the job later when the queue cannot be reached now. While another job with its `exclusiveKey`
     * is open, nothing is inserted and that job is returned: compare the ids.
     * @throws ServiceError too-many-requests above `maxOpen`
     */
    async submit(contract: JobContract, submission: Submission): Promise<JobRecord> {
      const insert = async (job: NewJob) => ({ job: await records.create(job) });
      return (await submitWith(contract, submission, insert)).job;
    },
  };
}

function createDecisions(records: JobRecords, messages: Messages, results: JobServiceParts['results']) {
  /** Whether a succeeded job once had a file that is expired, or that the store has lost. */
  async function isFileGone({ hasFile }: JobContract, jobId: string): Promise<boolean> {
    const { state, resultFile, resultExpiresAt } = (await records.find(jobId)) ?? {};
    if (state !== 'succeeded') return false;
    if (!resultFile) return hasFile === true;
    return (resultExpiresAt && resultExpiresAt <= new Date()) || !(await results.has(resultFile.key));
  }

  return {
    /**
     * Cancels a waiting job at once and asks a running one to stop. Undefined when there is no such job.
     * @param by recorded in the audit trail; absent: the job's own client, which is not recorded
     */
    async cancel(contract: JobContract, jobId: string, by?: Actor): Promise<JobRecord | undefined> {
      const job = await records.requestCancel(jobId, by);
      if (job?.state === 'cancelled') await messages.remove(contract, jobId);
      return job;
    },

    /** @throws ServiceError conflict unless the job has failed, was cancelled, or its file is gone */
    async retry(contract: JobContract, jobId: string, by?: Actor): Promise<JobRecord> {
      const job = await records.requeue(jobId, by, (await isFileGone(contract, jobId)) ? finalStates : undefined);
      if (!job)
        throw new ServiceError(
          'conflict',
          'Only a failed or cancelled job, or one whose file is gone, can be retried; a held job can be released.',
        );
      await messages.enqueueAgain(contract, job);
      return job;
    },

    /** Lets a held job carry out its plan. @throws ServiceError conflict when it is not held, or its `exclusiveKey` is taken */
    async release(contract: JobContract, jobId: string, by: Actor): Promise<JobRecord> {
      const job = await records.release(jobId, by);
      if (!job) throw new ServiceError('conflict', 'Only a held job can be released.');
      await messages.enqueueAgain(contract, job);
      return job;
    },
  };
}

/** The messages of jobs in the queues. */
function openMessages(queues: Queues, logger: Logger) {
  const add = async (contract: JobContract, job: QueuedJob): Promise<void> => {
    await queues.queue(contract).add(contract.kind, job.payload, {
      jobId: job.id,
      priority: job.priority,
      attempts: contract.attempts,
      backoff: { type: 'exponential', delay: contract.backoffMs, jitter: 0.5 },
    });
  };

  const remove = (contract: JobContract, jobId: string) => removeMessage(queues.queue(contract), jobId, logger);

  /** Never rejects: the reconciler enqueues what is missing. */
  const withinTimeout = async (jobId: string, work: Promise<void>): Promise<void> => {
    try {
      await untilAborted(work, AbortSignal.timeout(queueTimeoutMs));
    } catch (error) {
      logger.warn({ err: error, jobId }, 'the job could not be enqueued; the reconciler enqueues it later');
    }
  };

  const addAfterRemoval = async (contract: JobContract, job: QueuedJob): Promise<void> => {
    // The row says that the run ended a moment before its worker releases the message.
    const until = Date.now() + queueTimeoutMs / 2;
    while (!(await remove(contract, job.id)) && Date.now() < until) await sleep(20);
    await add(contract, job);
  };

  return {
    remove,
    enqueue: (contract: JobContract, job: QueuedJob) => withinTimeout(job.id, add(contract, job)),
    enqueueAgain: (contract: JobContract, job: QueuedJob) => withinTimeout(job.id, addAfterRemoval(contract, job)),
    async replace(contract: JobContract, job: QueuedJob): Promise<void> {
      await remove(contract, job.id);
      await add(contract, job);
    },
  };
}

/**
 * BullMQ silently drops a new message while an old one with the same id exists.
 * @returns false when the old message could not be removed
 */
async function removeMessage(queue: JobQueue, jobId: string, logger: Logger): Promise<boolean> {
  try {
    const message = await queue.getJob(jobId);
    await message?.remove();
    return true;
  } catch (error) {
    // A worker has locked it. Workers read the row before they start, so the old message is harmless.
    logger.debug({ err: error, jobId }, 'the message could not be removed');
    return false;
  }
}
