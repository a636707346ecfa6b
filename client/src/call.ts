/** What the client's parts call the service with, and how they read its answers. */
import type { Client } from 'openapi-fetch';
import type { Job } from './job.ts';
import { problemFrom } from './portal-problem.ts';
import type { paths } from './schema.ts';

export interface Service {
  baseUrl: string;
  /** With a token, and patient. */
  fetch: typeof globalThis.fetch;
  api: Client<paths>;
}

/** What a call of `api` comes to. */
export interface ApiAnswer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The JSON of an answer.
 * @throws PortalProblem when the answer is a refusal or a failure
 */
export async function dataOf<T>(call: Promise<ApiAnswer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw problemFrom(response, error);
  return data;
}

/**
 * The job of an operation that starts one.
 * @throws PortalProblem when the answer is a refusal or a failure
 */
export async function jobOf(call: Promise<ApiAnswer<unknown>>): Promise<Job> {
  const answer = await dataOf(call);
  if (isJob(answer)) return answer;
  throw new TypeError('The answer is no job: the request asked for its check only, or for the file.');
}

const isJob = (answer: unknown): answer is Job =>
  typeof answer === 'object' && answer !== null && 'id' in answer && 'kind' in answer && 'state' in answer;
