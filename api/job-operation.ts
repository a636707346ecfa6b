/** An operation that starts a job: validate, enqueue, answer 202, or wait for the end when the caller prefers to. */
import Negotiator from 'negotiator';
import { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import { isFinal, type JobRecord, type Warning } from '../core/job-record.ts';
import { JobResource, jobResource } from '../core/job-resource.ts';
import type { JobContract } from '../core/jobs/define-job.ts';
import { problemOf } from '../core/problem.ts';
import { timeBound } from '../core/time-bound.ts';
import { refuseTooMany } from './job-limit.ts';
import { jobTerms, onlyValidates, Validation, withJobRequest } from './job-request.ts';
import { sendResultFile } from './job-result.ts';
import type { Answer, AnswerDescription, Call, Input, Operation, RequestSchemas } from './operation.ts';
import { parsePrefer } from './prefer.ts';

export interface JobOperation<R extends RequestSchemas, P>
  extends Pick<Operation<R>, 'summary' | 'id' | 'method' | 'path' | 'scope' | 'request'> {
  job: JobContract;
  /** The content type of the result's file, when the caller may ask for it in place of the job. */
  file?: string;
  /** Turns the input into the job's payload. */
  accept(input: Input<R>, call: Call): Promise<P>;
  /**
   * What `validateOnly` looks at besides the schemas, without starting anything; answers what is worth a warning.
   * @throws ServiceError with what stands against the job
   */
  validate?(input: Input<R>, call: Call): Promise<Warning[]>;
}

/**
 * Makes the whole operation; the payload is checked against the job's own schema before anything is written. A body
 * has besides the row's own members those of every request for a job (`job-request.ts`).
 */
export function defineJobOperation<R extends RequestSchemas, P>(definition: JobOperation<R, P>): Operation {
  const { job, accept: _, validate: __, file, request, ...operation } = definition;
  const takesBody = operation.method !== 'GET';
  return {
    ...operation,
    ...(operation.method === 'POST' && { idempotent: true }),
    startsJob: job.kind,
    request: takesBody ? { ...request, body: withJobRequest(request.body) } : request,
    answers: answers(file),
    async handle(input: Input<R>, call: Call) {
      const wait = waitOf(call, file);
      if (onlyValidates(input.body)) return await validationAnswer(definition, input, call);
      const submitted = call.bound?.job ?? (await submit(definition, input, call));
      const latest = await waitFor(submitted, wait.seconds, call);
      return wait.forFile && isFinal(latest.state)
        ? fileAnswer(latest, call)
        : await jobAnswer(latest, wait, call);
    },
  };
}

/** A client's jobs of a kind that are not over are limited; past that it is told to come again. */
async function submit<R extends RequestSchemas, P>(
  { job, accept }: JobOperation<R, P>,
  input: Input<R>,
  call: Call,
): Promise<JobRecord> {
  const terms = jobTerms(input.body, call.services.config.EGRESS_ALLOW);
  await refuseTooMany(job, call);
  return await call.services.desk.submit(job, {
    ...terms,
    id: call.bound?.jobId,
    clientId: call.client.clientId,
    payload: await accept(input, call),
  });
}

async function validationAnswer<R extends RequestSchemas, P>(
  { validate }: JobOperation<R, P>,
  input: Input<R>,
  call: Call,
): Promise<Answer> {
  jobTerms(input.body, call.services.config.EGRESS_ALLOW);
  const warnings = (await validate?.(input, call)) ?? [];
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: { valid: true, warnings } };
}

const inTime = 'The job ended within the time of `Prefer: wait`';

function answers(file: string | undefined): Record<number, AnswerDescription> {
  return {
    200: {
      description: file
        ? `${inTime}; or, when asked for with \`Accept\`, its file. Or what \`validateOnly\` found.`
        : `${inTime}. Or what \`validateOnly\` found.`,
      schema: z.union([JobResource, Validation]),
      ...(file !== undefined && { orContentType: file }),
    },
    202: { description: 'The job is accepted; follow `Location`.', schema: JobResource },
  };
}

interface Wait {
  /** 0: answer at once. */
  seconds: number;
  /** The caller prefers the file to the job resource. */
  forFile: boolean;
  /** What of the Prefer header was honoured; '' for nothing. */
  applied: string;
}

function waitOf({ request, services }: Call, file: string | undefined): Wait {
  const longest = services.config.MAX_WAIT_SECONDS;
  const preferences = parsePrefer(request.headers.prefer?.toString());
  const forFile =
    file !== undefined && new Negotiator(request).mediaType(['application/json', file]) === file;
  const async = preferences.respondAsync && preferences.waitSeconds === undefined;
  const seconds = async ? 0 : Math.min(preferences.waitSeconds ?? (forFile ? longest : 0), longest);
  const applied = [
    ...(async ? ['respond-async'] : []),
    ...(preferences.waitSeconds === undefined ? [] : [`wait=${seconds}`]),
    ...(preferences.strict ? ['handling=strict'] : []),
  ].join(', ');
  return { seconds, forFile, applied };
}

async function waitFor(job: JobRecord, seconds: number, { services, signal }: Call): Promise<JobRecord> {
  if (seconds === 0) return job;
  // Not AbortSignal.any: Node.js 20 forgets a time-out signal that only it refers to, and the wait would not end.
  const bound = timeBound(seconds * 1_000, signal);
  return services.watch.untilEnded(job, bound.signal).finally(bound.release);
}

async function jobAnswer(job: JobRecord, wait: Wait, { services }: Call): Promise<Answer> {
  const ended = isFinal(job.state);
  const body = jobResource(job, services.config.BASE_PATH);
  return {
    status: ended ? 200 : 202,
    headers: {
      location: body.links.self,
      vary: 'accept, prefer',
      ...(!ended && { 'retry-after': String(await services.times.retryAfterSeconds(job)) }),
      ...(wait.applied !== '' && { 'preference-applied': wait.applied }),
    },
    body,
  };
}

/** A caller that saves the body must never take a failed job for its file. */
async function fileAnswer(job: JobRecord, call: Call): Promise<Answer> {
  const self = `${call.services.config.BASE_PATH}/jobs/${job.id}`;
  if (job.state === 'succeeded') {
    const answer = await sendResultFile(job, call);
    return { ...answer, headers: { ...answer.headers, location: self, vary: 'accept, prefer' } };
  }
  const problem = job.error ?? problemOf(new ServiceError('job-cancelled', 'The job was cancelled.'), self);
  const headers = { location: self, 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return { status: problem.status, headers, body: problem };
}
