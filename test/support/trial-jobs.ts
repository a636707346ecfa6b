/** Job kinds for tests: a test defines the work of a job by the name in its payload. */
import { z } from 'zod';
import { inGroup, type LoadedOperation } from '../../api/http/load-operations.ts';
import { defineJobOperation } from '../../api/jobs/job-operation.ts';
import { defineJob, type JobContract } from '../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess } from '../../core/jobs/handler.ts';
import type { ServedKind } from '../../workers/runtime/worker.ts';

const trial = {
  summary: 'Runs the work that a test defines.',
  payload: z.object({ name: z.string().min(1, 'must not be empty'), weight: z.number().optional() }),
  result: z.object({ said: z.string() }),
  attempts: 3,
  backoffMs: 20,
  concurrency: 4,
};

/** Timeout of a minute. */
export const trialJob = defineJob({ ...trial, kind: 'trial', timeoutMs: 60_000 });
/** Timeout of two seconds, which includes the start of the run on a slow machine. */
export const shortTimeoutJob = defineJob({ ...trial, kind: 'hasty', timeoutMs: 2_000 });
/** Exclusive by name. */
export const soloJob = defineJob({ ...trial, kind: 'solo', timeoutMs: 60_000, exclusive: ({ name }) => name });

const jobs = [trialJob, shortTimeoutJob, soloJob];

export const trialContracts: ReadonlyMap<string, JobContract> = new Map(
  jobs.map(contract => [contract.kind, contract]),
);

/** Starts a job with GET, as synchronisations do. */
const soloByGet: LoadedOperation = inGroup(
  'trials',
  defineJobOperation({
    summary: 'Start a job of this test.',
    id: 'trials.get-solo',
    route: 'GET /trials/solo',
    scope: 'trial',
    request: { query: z.object({ name: z.string().min(1, 'must not be empty') }) },
    job: soloJob,
    accept: async ({ query }) => ({ payload: query }),
  }),
);

const trialsByPost: LoadedOperation[] = jobs.map(job =>
  inGroup(
    'trials',
    defineJobOperation({
      summary: 'Start a job of this test.',
      id: `trials.start-${job.kind}`,
      route: `POST /trials/${job.kind}`,
      scope: 'trial',
      request: { body: job.payload },
      job,
      accept: async ({ body }) => ({ payload: body }),
    }),
  ),
);

export const trialOperations: LoadedOperation[] = [...trialsByPost, soloByGet];

type TrialResult = { said: string };
/** The work of a job: returns the text of its result, a success, or a held state. */
export type Work = (context: JobContext) => Promise<string | JobSuccess<TrialResult> | JobHeld<TrialResult>>;

export interface Trials {
  servedKinds: ServedKind[];
  /** Sets the work of jobs with this name. */
  when(name: string, work: Work): void;
  /** Attempt numbers of the runs with this name, in order. */
  attempts(name: string): number[];
}

export function openTrials(): Trials {
  const works = new Map<string, Work>();
  const attempts = new Map<string, number[]>();
  const handle = async (payload: unknown, context: JobContext) => {
    const { name } = trial.payload.parse(payload);
    attempts.set(name, [...(attempts.get(name) ?? []), context.attempt]);
    const done = await works.get(name)?.(context);
    return typeof done === 'object' ? done : { result: { said: done ?? name } };
  };
  return {
    servedKinds: [...trialContracts.values()].map(contract => ({ contract, handler: { handle } })),
    when: (name, work) => void works.set(name, work),
    attempts: name => attempts.get(name) ?? [],
  };
}

/** Waits for the abort signal, as a cooperative handler does, and rejects with its reason. */
export const untilAborted = ({ signal }: JobContext): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
