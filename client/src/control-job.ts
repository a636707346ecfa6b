/** Cancels and retries jobs. */
import { jobOf } from './call.ts';
import { idOf, type Job, type JobKind, type JobRef } from './job.ts';
import type { Methods } from './method-types.ts';
import type { CallOptions } from './transport.ts';

export function cancelJob<K extends JobKind>(job: JobRef<K>, methods: Methods, options?: CallOptions): Promise<Job<K>>;
/** @throws PortalProblem such as 404 for an unknown job */
export function cancelJob(job: JobRef, { jobs }: Methods, options?: CallOptions): Promise<Job> {
  return jobOf(jobs.cancel({ id: idOf(job) }, options));
}

export interface RetryJobOptions extends CallOptions {
  /** Requests with the same key retry the job once; default: a new key. */
  idempotencyKey?: string | undefined;
}

export function retryJob<K extends JobKind>(
  job: JobRef<K>,
  methods: Methods,
  options?: RetryJobOptions,
): Promise<Job<K>>;
/** @throws PortalProblem such as 409 for a job that neither failed nor was cancelled */
export function retryJob(job: JobRef, { jobs }: Methods, options?: RetryJobOptions): Promise<Job> {
  return jobOf(jobs.retry({ id: idOf(job) }, options));
}
