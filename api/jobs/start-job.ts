/** Starts the job that a request asks for. */
import { isDeepStrictEqual } from 'node:util';
import { type JobContract, newJobId } from '../../core/jobs/contract.ts';
import type { JobOptions, JobRecord, NewJob } from '../../core/jobs/record.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Call } from '../http/operation.ts';

export interface JobStart<P> extends Pick<NewJob, 'inputs'> {
  payload: P;
}

export interface StartedJob {
  job: JobRecord;
  /** The job was open before this request, and does what the request asks for. */
  isExisting: boolean;
}

/**
 * @throws ServiceError too-many-requests; conflict when another job with the same `exclusiveKey` is open whose payload
 * or callback differs
 */
export async function startJob<P>(
  contract: JobContract,
  start: JobStart<P>,
  options: JobOptions,
  call: Call,
): Promise<StartedJob> {
  const { services, client, bound } = call;
  const id = bound?.jobId ?? newJobId(contract.kind);
  const terms = { id, clientId: client.clientId, maxOpen: services.config.MAX_OPEN_JOBS };
  const job = await services.jobs.submit(contract, { ...options, ...start, ...terms });
  if (job.id === id) return { job, isExisting: false };
  await rejectOtherWork(job, contract.payload.parse(start.payload), options, call);
  await bound?.bindTo(job.id);
  return { job, isExisting: true };
}

/** @throws ServiceError conflict unless the open job does what the request asks for */
async function rejectOtherWork(job: JobRecord, payload: unknown, options: JobOptions, call: Call): Promise<void> {
  const self = `${call.services.config.BASE_PATH}/jobs/${job.id}`;
  const conflict = async (reason: string) =>
    new ServiceError('conflict', `The job ${job.id} is open, ${reason}`, {
      retryAfterSeconds: await call.services.eta.retryAfterSeconds(job),
      headers: { link: `<${self}>; rel="related"` },
    });
  const stored: unknown = JSON.parse(JSON.stringify(payload));
  if (!isDeepStrictEqual(stored, job.payload))
    throw await conflict('with different input, and only one such job may run at a time. Try again when it has ended.');
  const callback = job.clientId === call.client.clientId ? job.callback?.url : undefined;
  if (options.callbackUrl !== undefined && options.callbackUrl !== callback)
    throw await conflict('and it does not call your callback URL. Follow that job, or send no callback.');
}
