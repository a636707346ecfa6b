/** Calls of the service, and the data of its responses. */
import { isJob, type Job, type JobKind } from './job.ts';
import { problemFrom } from './portal-problem.ts';
import type { PortalApi } from './strict-api.ts';

export interface Service {
  baseUrl: string;
  /** Adds an access token and retries while the service is busy. */
  fetch: typeof globalThis.fetch;
  api: PortalApi;
}

/** The result of a call of `api`. */
export interface ApiAnswer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Returns the JSON body of a successful response.
 * @throws PortalProblem for a response with an error status
 */
export async function dataOf<T>(call: Promise<ApiAnswer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw problemFrom(response, error);
  return data;
}

/**
 * Returns the job of an operation that starts one.
 * @param kind the kind that the operation starts, so that the result is typed
 * @throws PortalProblem for a response with an error status
 */
export async function jobOf<K extends JobKind = JobKind>(call: Promise<ApiAnswer<unknown>>, kind?: K): Promise<Job<K>> {
  const data = await dataOf(call);
  if (isJob(data, kind)) return data;
  if (isJob(data)) throw new TypeError(`The job must be of the kind ${kind}; it is of the kind ${data.kind}.`);
  throw new TypeError('The response contains no job: the request asked for validation only, or for the file.');
}
