/** An operation that starts a job: validate, enqueue, answer 202, or wait for the end when the caller prefers to. */
import Negotiator from 'negotiator';
import { z } from 'zod';
import type { JobContract } from '../../core/jobs/contract.ts';
import { isAtRest, isFinal, type JobRecord, type Warning } from '../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../core/jobs/resource.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { problemOf } from '../../core/runtime/problem.ts';
import { timeBound } from '../../core/runtime/timeout.ts';
import type { Answer, AnswerDescription, Call, Input, Operation, RequestSchemas } from '../http/operation.ts';
import { parsePrefer } from '../http/prefer.ts';
import { refuseLooks } from '../http/reject-prefetch.ts';
import { shownTo } from './job-access.ts';
import { acceptedExample, endedExample } from './job-example.ts';
import { jobTerms, onlyValidates, Validation, withJobRequest } from './job-request.ts';
import { sendResultFile } from './job-result.ts';
import { submitJob } from './submit-job.ts';

export interface JobOperation<R extends RequestSchemas, P>
  extends Pick<Operation<R>, 'summary' | 'id' | 'method' | 'path' | 'scope' | 'request'> {
  job: JobContract;
  /** The content type of the result's file, when the caller may ask for it in place of the job. */
  file?: string;
  /** The file is answered unless the caller asks for the job (`Accept: application/json`); otherwise it is the other way round. */
  prefersFile?: boolean;
  /** Turns the input into the job's payload, which refers to large input by what `keep` answers. */
  accept(input: Input<R>, call: Call, keep: KeepInput): Promise<P>;
  /**
   * What `validateOnly` looks at besides the schemas, without starting anything; answers what is worth a warning.
   * @throws ServiceError with what stands against the job
   */
  validate?(input: Input<R>, call: Call): Promise<Warning[]>;
}

/** Has a value stored before the job is made. @returns its SHA-256, in hex */
export type KeepInput = (value: unknown) => string;

/**
 * Makes the whole operation; the payload is checked against the job's own schema before anything is written. A body
 * has besides the row's own members those of every request for a job (`job-request.ts`). One that is a GET takes its
 * input from the query, refuses what only looks (HEAD, prefetch), and is kept by no cache.
 */
export function defineJobOperation<R extends RequestSchemas, P>(definition: JobOperation<R, P>): Operation {
  const { job, accept: _, validate: __, file, prefersFile, request, ...operation } = definition;
  const takesBody = operation.method !== 'GET';
  return {
    ...operation,
    ...(operation.method === 'POST' && { idempotent: true }),
    startsJob: job.kind,
    request: takesBody ? { ...request, body: withJobRequest(request.body) } : request,
    answers: answers(job, file, takesBody),
    async handle(input: Input<R>, call: Call) {
      if (!takesBody) refuseLooks(call.request, 'starts a job');
      const wait = waitOf(call, file, prefersFile);
      if (onlyValidates(input.body)) return await validationAnswer(definition, input, call);
      const { job: submitted, isExisting } = call.bound?.job
        ? { job: call.bound.job, isExisting: false }
        : await submitJob(definition, input, call);
      const latest = shownTo(await waitFor(submitted, wait.seconds, call), call);
      const answer =
        wait.forFile && isFinal(latest.state)
          ? await fileAnswer(latest, call)
          : await jobAnswer(latest, wait, call);
      return {
        ...answer,
        headers: {
          ...answer.headers,
          ...(isExisting && { [existingJobHeader]: 'true' }),
          ...(!takesBody && { 'cache-control': 'no-store' }),
        },
      };
    },
  };
}

/** Says that the job of the answer was there before the request: it does the same work, and only one job may. */
export const existingJobHeader = 'portal-existing-job';

async function validationAnswer<R extends RequestSchemas, P>(
  { validate }: JobOperation<R, P>,
  input: Input<R>,
  call: Call,
): Promise<Answer> {
  jobTerms(input.body, call.services.config.EGRESS_ALLOW);
  const warnings = (await validate?.(input, call)) ?? [];
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: { valid: true, warnings } };
}

const inTime = 'The job ended, or was held, within the time of `Prefer: wait`';
const atOnce =
  ' Or the same was asked for a short while ago: then the job has succeeded at once, with the same result.';
const oneAtATime =
  ' Only one such job works at a time: while one is at work, a request for the same is answered with that one, whoever ' +
  'sent it, marked `Portal-Existing-Job: true`; one with other input is answered with 409.';

function answers(
  job: JobContract,
  file: string | undefined,
  takesBody: boolean,
): Record<number, AnswerDescription> {
  const validation = takesBody ? ' Or what `validateOnly` found.' : '';
  const orFile = file ? '; or, when asked for with `Accept`, its file' : '';
  return {
    200: {
      description: `${inTime}${orFile}.${job.reusable ? atOnce : ''}${validation}`,
      schema: takesBody ? z.union([JobResource, Validation]) : JobResource,
      ...(file !== undefined && { orContentType: file }),
      example: endedExample(job),
    },
    202: {
      description: `The job is accepted; follow \`Location\`.${job.exclusive ? oneAtATime : ''}`,
      schema: JobResource,
      example: acceptedExample(job),
    },
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

function waitOf({ request, services }: Call, file: string | undefined, prefersFile = false): Wait {
  const longest = services.config.MAX_WAIT_SECONDS;
  const preferences = parsePrefer(request.headers.prefer?.toString());
  const offered = prefersFile ? [file ?? '', 'application/json'] : ['application/json', file ?? ''];
  const forFile = file !== undefined && new Negotiator(request).mediaType(offered) === file;
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
  if (seconds === 0 || isAtRest(job.state)) return job;
  // Not AbortSignal.any: Node.js 20 forgets a time-out signal that only it refers to, and the wait would not end.
  const bound = timeBound(seconds * 1_000, signal);
  return services.watch.untilEnded(job, bound.signal).finally(bound.release);
}

async function jobAnswer(job: JobRecord, wait: Wait, { services }: Call): Promise<Answer> {
  const ended = isAtRest(job.state);
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
