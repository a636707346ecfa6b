/** Operations that start a job: they answer 202, or wait for the job's end (`Prefer: wait`) and answer 200. */
import Negotiator from 'negotiator';
import { z } from 'zod';
import type { JobContract } from '../../core/jobs/contract.ts';
import { isAtRest, isFinal, type JobRecord, type Warning } from '../../core/jobs/record.ts';
import { jobProblem, jobResource, jobResourceOf } from '../../core/jobs/resource.ts';
import { problemOf, ServiceError } from '../../core/runtime/errors.ts';
import { createTimeout } from '../../core/runtime/timeout.ts';
import type { Answer, AnswerDescription, Call, Input, Operation, RequestSchemas } from '../http/operation.ts';
import { parsePrefer, rejectPrefetch } from '../http/request-headers.ts';
import { onlyValidates } from '../plugins/idempotency.ts';
import { shownTo } from './job-access.ts';
import { acceptedExample, endedExample } from './job-example.ts';
import { jobOptions, Validation, withJobRequest } from './job-request.ts';
import { fileHeaderNames, sendResultFile } from './job-result.ts';
import { type JobStart, type StartedJob, startJob } from './start-job.ts';

export interface JobSchemas extends RequestSchemas {
  body?: z.ZodObject;
}

export interface JobOperation<R extends JobSchemas, P>
  extends Pick<Operation<R>, 'summary' | 'id' | 'route' | 'scope' | 'request' | 'calls' | 'problems' | 'deprecated'> {
  job: JobContract;
  /** Content types of the result file, which the caller may request instead of the job; the first one is the default. */
  file?: string | readonly string[];
  /** The file is the default answer and the job needs `Accept: application/json`; otherwise the reverse. */
  prefersFile?: boolean;
  /** Returns the job's payload, and large inputs that it refers to. */
  accept(input: Input<R>, call: Call): Promise<JobStart<P>>;
  /**
   * Checks of `validateOnly` beyond the schemas; starts nothing.
   * @returns warnings
   * @throws ServiceError when the request would be rejected
   */
  validate?(input: Input<R>, call: Call): Promise<Warning[]>;
}

/**
 * Builds the operation. A body has the members of every job request (`job-request.ts`) besides its own. A GET takes its
 * input from the query, rejects HEAD and prefetch, and is not cached.
 */
export function defineJobOperation<R extends JobSchemas, P>(definition: JobOperation<R, P>): Operation {
  const { job, accept: _, validate: __, file, prefersFile, request, problems, ...operation } = definition;
  const takesBody = !operation.route.startsWith('GET ');
  return {
    ...operation,
    ...(operation.route.startsWith('POST ') && { idempotent: true }),
    startsJob: job.kind,
    request: takesBody ? { ...request, body: withJobRequest(request.body) } : request,
    answers: answers(job, file, takesBody),
    problems: {
      ...(file !== undefined && fileProblems),
      ...problems,
      ...(job.exclusive && { conflict: [problems?.conflict, openJob].filter(Boolean).join(' ') }),
    },
    async handle(input: Input<R>, call: Call) {
      if (!takesBody) rejectPrefetch(call.request, 'starts a job');
      const wait = waitPreference(call, [file ?? []].flat(), prefersFile);
      if (onlyValidates(input.body)) return await validationAnswer(definition, input, call);
      const { job: started, isExisting } = call.bound?.job
        ? { job: call.bound.job, isExisting: false }
        : await start(definition, input, call);
      const latest = shownTo(await waitFor(started, wait.seconds, call), call);
      // No request waits for this job or knows its id. An existing job belongs to other requests.
      if (wait.isCancelledWithRequest && call.signal.aborted && !isExisting && !isAtRest(latest.state))
        await call.services.jobs.cancel(job, latest.id);
      const answer =
        wait.forFile && isFinal(latest.state) ? await fileAnswer(latest, call) : await jobAnswer(latest, wait, call);
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

async function start<R extends JobSchemas, P>(
  { job, accept }: JobOperation<R, P>,
  input: Input<R>,
  call: Call,
): Promise<StartedJob> {
  const options = jobOptions(input.body, call.services.config.EGRESS_ALLOW);
  return await startJob(job, await accept(input, call), options, call);
}

/** Marks an answer with a job that was open before the request and does the same work. */
export const existingJobHeader = 'portal-existing-job';

async function validationAnswer<R extends JobSchemas, P>(
  { validate }: JobOperation<R, P>,
  input: Input<R>,
  call: Call,
): Promise<Answer> {
  jobOptions(input.body, call.services.config.EGRESS_ALLOW);
  const warnings = (await validate?.(input, call)) ?? [];
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: { valid: true, warnings } };
}

const openJob = 'Another such job with different input or callback is open.';

/** Why a request for the file instead of the job gets none. */
const fileProblems = {
  'job-cancelled': 'The job was cancelled.',
  'worker-died': 'Several workers died while they ran the job.',
  'job-timed-out': 'The job ran too long.',
  'job-not-begun': 'No worker was free before `startBy`.',
} as const;

const inTime = 'The job ended, or was held, within the time of `Prefer: wait`';
const oneAtATime =
  ' Only one such job runs at a time. While one is open, a request with the same input returns that job, whichever client ' +
  'started it, with the header `Portal-Existing-Job: true`; a request with different input returns 409.';

function answers(
  job: JobContract,
  file: JobOperation<JobSchemas, unknown>['file'],
  takesBody: boolean,
): Record<number, AnswerDescription> {
  const validation = takesBody ? ' Or the findings of `validateOnly`.' : '';
  const resource = jobResourceOf(job);
  const orFile = file ? '; or its file, when requested with `Accept`' : '';
  return {
    200: {
      description: `${inTime}${orFile}.${validation}`,
      schema: takesBody ? z.union([resource, Validation]) : resource,
      ...(file !== undefined && { headers: [...fileHeaderNames, 'Content-Digest'] }),
      ...(file !== undefined && { orContentType: file }),
      get example() {
        return endedExample(job);
      },
    },
    202: {
      description: `The job is accepted; follow \`Location\`.${job.exclusive ? oneAtATime : ''}`,
      schema: resource,
      get example() {
        return acceptedExample(job);
      },
    },
  };
}

interface Wait {
  /** 0: answer without waiting. */
  seconds: number;
  /** The caller prefers the file to the job resource. */
  forFile: boolean;
  /** The job is cancelled when the client disconnects during the wait. */
  isCancelledWithRequest: boolean;
  /** Honoured preferences, for `Preference-Applied`; empty when none. */
  applied: string;
}

function waitPreference({ request, services }: Call, files: readonly string[], prefersFile = false): Wait {
  const maxSeconds = services.config.MAX_WAIT_SECONDS;
  const preferences = parsePrefer(request.headers.prefer?.toString());
  const offered = prefersFile ? [...files, 'application/json'] : ['application/json', ...files];
  const accepted = new Negotiator(request).mediaType(offered);
  const forFile = files.some(type => type === accepted);
  const async = preferences.respondAsync && preferences.waitSeconds === undefined;
  const seconds = async ? 0 : Math.min(preferences.waitSeconds ?? (forFile ? maxSeconds : 0), maxSeconds);
  const isCancelledWithRequest = preferences.cancelOnDisconnect && seconds > 0;
  const applied = [
    ...(async ? ['respond-async'] : []),
    ...(preferences.waitSeconds === undefined ? [] : [`wait=${seconds}`]),
    ...(isCancelledWithRequest ? ['cancel-on-disconnect'] : []),
    ...(preferences.strict ? ['handling=strict'] : []),
  ].join(', ');
  return { seconds, forFile, isCancelledWithRequest, applied };
}

async function waitFor(job: JobRecord, seconds: number, { services, signal }: Call): Promise<JobRecord> {
  if (seconds === 0 || isAtRest(job.state)) return job;
  // Not AbortSignal.any: Node.js 20 garbage-collects a timeout signal that only it refers to.
  const timeout = createTimeout(seconds * 1_000, signal);
  return services.waiter.untilEnded(job, timeout.signal).finally(timeout.clear);
}

async function jobAnswer(job: JobRecord, wait: Wait, { services }: Call): Promise<Answer> {
  const ended = isAtRest(job.state);
  const body = jobResource(job, services.address);
  return {
    status: ended ? 200 : 202,
    headers: {
      location: body.links.self,
      vary: 'accept, prefer',
      ...(!ended && { 'retry-after': String(await services.eta.retryAfterSeconds(job)) }),
      ...(wait.applied !== '' && { 'preference-applied': wait.applied }),
    },
    body,
  };
}

/** A failed job answers with its problem and status, so a caller that saves the body cannot mistake it for the file. */
async function fileAnswer(job: JobRecord, call: Call): Promise<Answer> {
  const self = `${call.services.config.BASE_PATH}/jobs/${job.id}`;
  if (job.state === 'succeeded') {
    const answer = await sendResultFile(job, call);
    return { ...answer, headers: { ...answer.headers, location: self, vary: 'accept, prefer' } };
  }
  const error = job.error ?? problemOf(new ServiceError('job-cancelled', 'The job was cancelled.'), self);
  const problem = jobProblem(job.id, error, call.services.address);
  const headers = { location: self, 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return { status: problem.status, headers, body: problem };
}
