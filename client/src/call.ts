/** Data of the responses of raw calls. */
import { UnexpectedAnswer } from './errors.ts';
import { isJob, type Job, type JobKind } from './job.ts';
import { problemFrom } from './portal-problem.ts';

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
 * Returns the job of an operation that starts one, of a method or of `api`.
 * @param kind the kind that the operation starts, so that the result is typed
 * @throws PortalProblem for a response with an error status; UnexpectedAnswer
 */
export async function jobOf<K extends JobKind = JobKind>(call: Promise<unknown>, kind?: K): Promise<Job<K>> {
  const answer = await call;
  const data = isApiAnswer(answer) ? await dataOf(Promise.resolve(answer)) : answer;
  if (isJob(data, kind)) return data;
  if (isJob(data)) throw new UnexpectedAnswer(`The job must be of the kind ${kind}; it is of the kind ${data.kind}.`);
  throw new UnexpectedAnswer('The answer contains no job: the request asked for validation only, or for the file.');
}

const isApiAnswer = (answer: unknown): answer is ApiAnswer<unknown> =>
  typeof answer === 'object' && answer !== null && 'response' in answer && answer.response instanceof Response;
