/** Cancels and retries jobs. */
import { dataOf, type Service } from './call.ts';
import { idOf, type Job, type JobKind, type JobRef } from './job.ts';

export interface ControlOptions {
  signal?: AbortSignal;
}

export function cancelJob<K extends JobKind>(
  job: JobRef<K>,
  service: Service,
  options?: ControlOptions,
): Promise<Job<K>>;
/** @throws PortalProblem such as 404 for an unknown job */
export function cancelJob(job: JobRef, { api }: Service, { signal }: ControlOptions = {}): Promise<Job> {
  const params = { path: { id: idOf(job) } };
  return dataOf(api.DELETE('/jobs/{id}', { params, ...(signal && { signal }) }));
}

export interface RetryJobOptions extends ControlOptions {
  /** Requests with the same key retry the job once; default: a new key. */
  idempotencyKey?: string;
}

export function retryJob<K extends JobKind>(
  job: JobRef<K>,
  service: Service,
  options?: RetryJobOptions,
): Promise<Job<K>>;
/** @throws PortalProblem such as 409 for a job that neither failed nor was cancelled */
export function retryJob(
  job: JobRef,
  { api }: Service,
  { idempotencyKey = crypto.randomUUID(), signal }: RetryJobOptions = {},
): Promise<Job> {
  const params = { path: { id: idOf(job) }, header: { 'Idempotency-Key': idempotencyKey } };
  return dataOf(api.POST('/jobs/{id}/retry', { params, ...(signal && { signal }) }));
}
