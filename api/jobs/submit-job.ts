/** Hands a request's job in; where only one may do the work, and one does it already, that one is the answer. */
import { isDeepStrictEqual } from 'node:util';
import { newJobId } from '../../core/jobs/contract.ts';
import type { JobRecord, JobTerms } from '../../core/jobs/record.ts';
import { type JobInput, jobInputOf } from '../../core/jobs/repository/inputs.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Call, Input, RequestSchemas } from '../http/operation.ts';
import { refuseTooMany } from './job-limit.ts';
import type { JobOperation } from './job-operation.ts';
import { jobTerms } from './job-request.ts';

export interface Submitted {
  job: JobRecord;
  /** It was there before, and does what was asked for. */
  isExisting: boolean;
}

/**
 * A client's jobs of a kind that are not over are limited; past that it is told to come again. A request whose answer is
 * known already (`reusable`) makes no such job, and is answered all the same.
 * @throws ServiceError too-many-requests; conflict when a job is at work that does not do what is asked for
 */
export async function submitJob<R extends RequestSchemas, P>(
  { job: contract, accept }: JobOperation<R, P>,
  input: Input<R>,
  call: Call,
): Promise<Submitted> {
  const terms = jobTerms(input.body, call.services.config.EGRESS_ALLOW);
  const id = call.bound?.jobId ?? newJobId(contract.kind);
  const kept: JobInput[] = [];
  const payload = await accept(input, call, value => {
    const one = jobInputOf(value);
    kept.push(one);
    return one.sha256;
  });
  const job = await call.services.desk.submit(contract, {
    ...terms,
    id,
    clientId: call.client.clientId,
    payload,
    async prepare() {
      await refuseTooMany(contract, call);
      for (const one of kept) await call.services.inputs.put(one);
    },
  });
  if (job.id === id) return { job, isExisting: false };
  await refuseOtherWork(job, contract.payload.parse(payload), terms, call);
  await call.bound?.standsFor(job.id);
  return { job, isExisting: true };
}

/**
 * A job that is on already answers a request that asks for the same, and no other.
 * @throws ServiceError conflict
 */
async function refuseOtherWork(job: JobRecord, payload: unknown, terms: JobTerms, call: Call): Promise<void> {
  const self = `${call.services.config.BASE_PATH}/jobs/${job.id}`;
  const refusal = async (why: string) =>
    new ServiceError(
      'conflict',
      `The job ${job.id} is at work already, ${why}. Send this again when it has ended.`,
      {
        retryAfterSeconds: await call.services.times.retryAfterSeconds(job),
        headers: { link: `<${self}>; rel="related"` },
      },
    );
  const asKept: unknown = JSON.parse(JSON.stringify(payload));
  if (!isDeepStrictEqual(asKept, job.payload))
    throw await refusal('with other input, and only one at a time may be');
  const callback = job.clientId === call.client.clientId ? job.callback?.url : undefined;
  if (terms.callbackUrl !== undefined && terms.callbackUrl !== callback) {
    throw await refusal('and its end is not told to your callback; follow it, or leave the callback out');
  }
}
