/** Job families of the tests' own: what a job does is told by the test, under the name it is submitted with. */
import { z } from 'zod';
import { defineJobOperation } from '../../api/job-operation.ts';
import type { LoadedOperation } from '../../api/load-operations.ts';
import { defineJob, type JobContract } from '../../core/jobs/define-job.ts';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import type { Post } from '../../workers/worker.ts';

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

export const trialContracts: ReadonlyMap<string, JobContract> = new Map(
  [trialJob, hastyJob].map(contract => [contract.kind, contract]),
);

export const trialOperations: LoadedOperation[] = [trialJob, hastyJob].map(job => ({
  ...defineJobOperation({
    summary: 'Start a job of this test.',
    id: `trials.start-${job.kind}`,
    method: 'POST',
    path: `/trials/${job.kind}`,
    scope: 'trial',
    request: { body: job.payload },
    job,
    accept: async ({ body }) => body,
  }),
  group: 'trials',
}));

/** What a job does; it says so, or the whole of its success. */
export type Work = (context: JobContext) => Promise<string | JobSuccess<{ said: string }>>;

export interface Trials {
  posts: Post[];
  /** Tells what jobs of this name do from now on. */
  when(name: string, work: Work): void;
  /** The attempts that were begun of a name, in order. */
  begun(name: string): number[];
}

export function openTrials(): Trials {
  const works = new Map<string, Work>();
  const begun = new Map<string, number[]>();
  const handle = async (payload: unknown, context: JobContext): Promise<JobSuccess<unknown>> => {
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
