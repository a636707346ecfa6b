/** The job resource of the API, with its result typed by kind. */
import type { components } from './schema.ts';

type AnyJob = components['schemas']['Job'];

export type JobKind = AnyJob['kind'];

/** A union discriminated by `kind`: a check of `kind` also determines the type of `result`. */
export type Job<K extends JobKind = JobKind> = Extract<AnyJob, { kind: K }>;

/** The results by kind. */
export type JobResults = { [K in JobKind]: NonNullable<Job<K>['result']> };

/** A job, or its id. */
export type JobRef<K extends JobKind = JobKind> = string | { id: string; kind: K };

export const idOf = (job: JobRef): string => (typeof job === 'string' ? job : job.id);

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
