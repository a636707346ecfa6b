/** The job resource: in responses, the event stream and callbacks. */
import { z } from 'zod';
import { type Problem, PublicProblem, publicProblem } from '../runtime/errors.ts';
import type { JobContract } from './contract.ts';
import { JobCallback, type JobRecord, JobState, MailState, Progress, Release, Warning } from './record.ts';

const time = z.iso.datetime();

export const JobResource = z
  .object({
    id: z.string().describe('The job’s id.'),
    kind: z.string().describe('The kind of job.'),
    state: JobState.describe('Where the job stands; `held`: it waits for the decision of a person.'),
    progress: Progress.nullable().describe('How far the job is; null before its first report.'),
    attempts: z
      .object({ made: z.int().describe('Runs so far.'), max: z.int().describe('Runs at most.') })
      .describe('Runs that count: a wait for an outside system does not.'),
    createdAt: time.describe('When the request was accepted.'),
    startedAt: time
      .nullable()
      .describe('Null before the first run, and for a job answered with the result of an earlier one.'),
    finishedAt: time.nullable().describe('When the job ended; null before.'),
    startBy: time.nullable().describe('The job is cancelled without a first run by then.'),
    callback: JobCallback.nullable().describe('The callback at the job’s end, and its delivery.'),
    result: z
      .unknown()
      .describe('The result as documented for the kind; null until the job succeeds. Of a held job: a preview of it.'),
    resultExpiresAt: time.nullable().describe('The result is available until then.'),
    error: PublicProblem.nullable().describe('Why the job or its last attempt failed.'),
    warnings: z.array(Warning).describe('What did not stop the job, but needs attention.'),
    sandboxes: z.array(z.string()).describe('The outside systems that the sandbox replaced; in development only.'),
    released: Release.nullable().describe('Who released the held job.'),
    mail: MailState.extend({ error: PublicProblem.nullable().describe('Why it was not sent, or not yet.') })
      .nullable()
      .describe('The delivery of the result by e-mail; null before the job has succeeded, and without `deliver`.'),
    links: z
      .object({
        self: z.string().describe('The job.'),
        events: z.string().describe('Its event stream.'),
        result: z.string().optional().describe('Its result, once it has succeeded.'),
        mail: z.string().optional().describe('The job that sends the result by e-mail.'),
        plan: z.string().optional().describe('Of a held job: its whole plan.'),
        release: z.string().optional().describe('Of a held job: POST to carry out the plan.'),
      })
      .describe('Addresses of the job.'),
  })
  .meta({
    id: 'Job',
    examples: [
      {
        id: 'pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11',
        kind: 'pdf',
        state: 'succeeded',
        progress: { stage: 'done', done: 1, total: 1, percent: 100 },
        attempts: { made: 1, max: 4 },
        createdAt: '2026-01-31T08:00:00.000Z',
        startedAt: '2026-01-31T08:00:00.041Z',
        finishedAt: '2026-01-31T08:00:01.377Z',
        startBy: null,
        callback: null,
        result: {
          design: 'new',
          listings: 1,
          pages: 2,
          bytes: 412_887,
          sha256: '6f0c9b1d5e8a4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3',
          fileName: 'brochure-MP-S-2041.pdf',
          photos: { printed: 9, missing: 0 },
        },
        resultExpiresAt: '2026-02-03T08:00:01.377Z',
        error: null,
        warnings: [],
        sandboxes: [],
        released: null,
        mail: null,
        links: {
          self: '/v2/jobs/pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11',
          events: '/v2/jobs/pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11/events',
          result: '/v2/jobs/pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11/result',
        },
      },
    ],
  });
export type JobResource = z.infer<typeof JobResource>;

const resources = new WeakMap<JobContract, z.ZodObject>();

/** The resource of a job of one kind, with its result. */
export function jobResourceOf(contract: JobContract): z.ZodObject {
  const known = resources.get(contract);
  if (known) return known;
  const name = contract.kind.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const result = contract.result.meta({ id: `${name}Result` }).nullable();
  const made = JobResource.extend({
    kind: z.literal(contract.kind).describe('The kind of job.'),
    result: result.describe('Null until the job succeeds. Of a held job: a preview of it.'),
  }).meta({ id: `${name}Job`, description: contract.summary });
  resources.set(contract, made);
  return made;
}

/** Where the API is. */
export interface ApiAddress {
  /** Prefix of links: `/v2`, or the address with it. */
  links: string;
  /** The address with the base path. */
  url: string;
}

export function jobResource(job: JobRecord, { links, url }: ApiAddress): JobResource {
  const self = `${links}/jobs/${job.id}`;
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    progress: job.progress,
    attempts: { made: job.attemptsMade, max: job.attemptsMax },
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    startBy: job.startBy?.toISOString() ?? null,
    callback: job.callback,
    result: job.result ?? null,
    resultExpiresAt: job.resultExpiresAt?.toISOString() ?? null,
    error: job.error && jobProblem(job.id, job.error, { links, url }),
    warnings: job.warnings,
    sandboxes: job.sandboxes,
    released: job.released,
    mail: job.mail
      ? { ...job.mail, error: job.mail.error && jobProblem(job.mail.job, job.mail.error, { links, url }) }
      : null,
    links: {
      self,
      events: `${self}/events`,
      ...(job.state === 'succeeded' && { result: `${self}/result` }),
      ...(job.mail && { mail: `${links}/jobs/${job.mail.job}` }),
      ...(job.state === 'held' && { plan: `${self}/plan`, release: `${self}/release` }),
    },
  };
}

/** The problem of a job as callers get it: `instance` is the path of the job. */
export const jobProblem = (id: string, problem: Problem, { links, url }: ApiAddress): PublicProblem =>
  publicProblem({ ...problem, instance: new URL(`${links}/jobs/${id}`, url).pathname }, url);
