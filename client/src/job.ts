/** The job resource of the API, with its result typed by kind. */
import type { JobResults } from './job-results.ts';
import type { components } from './schema.ts';

type ApiJob = components['schemas']['Job'];

export type JobKind = keyof JobResults;

/** A union discriminated by `kind`: a check of `kind` also determines the type of `result`. */
export type Job<K extends JobKind = JobKind> = {
  [Kind in K]: Omit<ApiJob, 'kind' | 'result'> & {
    kind: Kind;
    /** Null until the job succeeds. Of a held job: a preview of it. */
    result: JobResults[Kind] | null;
  };
}[K];

/** A job, or its id. */
export type JobRef<K extends JobKind = JobKind> = string | { id: string; kind: K };

export const idOf = (job: JobRef): string => (typeof job === 'string' ? job : job.id);

/** The data of a response, with `Job` for each job in it. */
export type WithJobs<T> = T extends ApiJob
  ? Job
  : T extends { items: ApiJob[] }
    ? Omit<T, 'items'> & { items: Job[] }
    : T;

/** Whether the job has ended, or is held until a person decides. */
export const isAtRest = ({ state }: Pick<Job, 'state'>): boolean =>
  ['held', 'succeeded', 'failed', 'cancelled'].includes(state);

/** @param kind absent: any */
export const isJob = <K extends JobKind = JobKind>(value: unknown, kind?: K): value is Job<K> =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'state' in value &&
  'kind' in value &&
  (kind === undefined || value.kind === kind);
