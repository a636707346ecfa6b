/** Job families of the tests' own: what a job does is told by the test, under the name it is submitted with. */
import { z } from 'zod';
import type { LoadedOperation } from '../../api/http/load-operations.ts';
import { defineJobOperation } from '../../api/jobs/job-operation.ts';
import { defineJob, type JobContract } from '../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess } from '../../core/jobs/handler.ts';
import type { ServedKind } from '../../workers/runtime/worker.ts';

const trial = {
  summary: 'Does what a test tells it.',
  payload: z.object({ name: z.string().min(1, 'must not be empty'), weight: z.number().optional() }),
  result: z.object({ said: z.string() }),
  attempts: 3,
  backoffMs: 20,
  concurrency: 4,
};

/** Has time enough. */
export const trialJob = defineJob({ ...trial, kind: 'trial', timeoutMs: 60_000 });
/** Has half a second. */
export const hastyJob = defineJob({ ...trial, kind: 'hasty', timeoutMs: 500 });
/** One of each name at a time. */
export const soloJob = defineJob({
  ...trial,
  kind: 'solo',
  timeoutMs: 60_000,
  exclusive: ({ name }) => name,
});

const jobs = [trialJob, hastyJob, soloJob];

export const trialContracts: ReadonlyMap<string, JobContract> = new Map(
  jobs.map(contract => [contract.kind, contract]),
);

/** Started with a GET, as a synchronisation is. */
const soloByGet: LoadedOperation = {
  ...defineJobOperation({
    summary: 'Start a job of this test.',
    id: 'trials.get-solo',
    method: 'GET',
    path: '/trials/solo',
    scope: 'trial',
    request: { query: z.object({ name: z.string().min(1, 'must not be empty') }) },
    job: soloJob,
    accept: async ({ query }) => ({ payload: query }),
  }),
  group: 'trials',
};

const trialsByPost: LoadedOperation[] = jobs.map(job => ({
  ...defineJobOperation({
    summary: 'Start a job of this test.',
    id: `trials.start-${job.kind}`,
    method: 'POST',
    path: `/trials/${job.kind}`,
    scope: 'trial',
    request: { body: job.payload },
    job,
    accept: async ({ body }) => ({ payload: body }),
  }),
  group: 'trials',
}));

export const trialOperations: LoadedOperation[] = [...trialsByPost, soloByGet];

type Said = { said: string };
/** What a job does; it says so, or the whole of its success, or that it is to be held. */
export type Work = (context: JobContext) => Promise<string | JobSuccess<Said> | JobHeld<Said>>;

export interface Trials {
  posts: ServedKind[];
  /** Tells what jobs of this name do from now on. */
  when(name: string, work: Work): void;
  /** The attempts that were begun of a name, in order. */
  begun(name: string): number[];
}

export function openTrials(): Trials {
  const works = new Map<string, Work>();
  const begun = new Map<string, number[]>();
  const handle = async (payload: unknown, context: JobContext) => {
    const { name } = trial.payload.parse(payload);
    begun.set(name, [...(begun.get(name) ?? []), context.attempt]);
    const done = await works.get(name)?.(context);
    return typeof done === 'object' ? done : { result: { said: done ?? name } };
  };
  return {
    posts: [...trialContracts.values()].map(contract => ({
      contract,
      handler: { handle, close: async () => {} },
    })),
    when: (name, work) => void works.set(name, work),
    begun: name => begun.get(name) ?? [],
  };
}

/** Waits until the signal is aborted, as an obedient handler does, and rejects with its reason. */
export const untilTold = ({ signal }: JobContext): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
