/** Waits for a job: by its event stream, and by asking now and then where streams do not get through. */
import { dataOf, type Service } from './call.ts';
import { deadline } from './deadline.ts';
import { isAtRest, type Job } from './job.ts';
import { jobEvents } from './job-events.ts';
import { pause } from './pause.ts';
import { type PortalProblem, problemOf, retryAfterSeconds } from './portal-problem.ts';

export interface WaitOptions {
  /** Called with the job at each change of its state or progress. */
  onProgress?: (job: Job) => void;
  /** Ends the waiting, not the job: `DELETE /jobs/{id}` does that. */
  signal?: AbortSignal;
  /** Ends the waiting with a `TimeoutError`; absent: as long as it takes. */
  timeoutMs?: number;
}

/** The service gives a sign of life every 15 seconds: a stream that is silent for longer is held up by something. */
const longestSilenceMs = 45_000;
const reconnectMs = 2_000;
/** Streams that end without news, one after another, before the job is asked for instead. */
const fruitlessStreams = 3;
const askAgainSeconds = 2;

/**
 * @returns the job once it has ended or is held
 * @throws PortalProblem such as 404 for a job that is gone; the signal's reason; DOMException `TimeoutError`
 */
export async function waitForJob(
  id: string,
  service: Service,
  { onProgress = () => undefined, signal, timeoutMs }: WaitOptions = {},
): Promise<Job> {
  const limit = deadline(timeoutMs, `The job ${id} took longer than ${timeoutMs} ms; it goes on.`, signal);
  try {
    return (
      (await endByStream(id, service, onProgress, limit.signal)) ??
      (await endByAsking(id, service, onProgress, limit.signal))
    );
  } finally {
    limit.release();
  }
}

/** Undefined where streams do not get through. */
async function endByStream(
  id: string,
  service: Service,
  onProgress: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job | undefined> {
  let lastEventId = '';
  for (let fruitless = 0; fruitless < fruitlessStreams; fruitless += 1) {
    const seen = lastEventId;
    const outcome = await listen(id, service, lastEventId, signal, event => {
      lastEventId = event.id;
      onProgress(event.job);
    });
    if (outcome === 'no-streams') return undefined;
    const { data: job } = await ask(id, service, signal);
    if (isAtRest(job)) return job;
    if (lastEventId !== seen) fruitless = -1;
    await pause(reconnectMs, signal);
  }
  return undefined;
}

/** One stream, to its end or until it breaks. */
async function listen(
  id: string,
  { baseUrl, fetch }: Service,
  lastEventId: string,
  signal: AbortSignal,
  onEvent: (event: { id: string; job: Job }) => void,
): Promise<'ended' | 'no-streams'> {
  const silence = deadline(longestSilenceMs, 'The event stream is silent.', signal);
  try {
    const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
    const response = await fetch(`${baseUrl}/jobs/${encodeURIComponent(id)}/events`, {
      headers,
      signal: silence.signal,
    });
    if (response.status === 204) return 'ended';
    if (isRefusal(response)) throw await problemOf(response);
    if (!response.ok || response.body === null) return 'no-streams';
    for await (const event of jobEvents(response.body, silence.postpone)) onEvent(event);
    return 'ended';
  } catch (error) {
    signal.throwIfAborted();
    if (isProblem(error)) throw error;
    return silence.signal.aborted ? 'no-streams' : 'ended';
  } finally {
    silence.release();
  }
}

async function endByAsking(
  id: string,
  service: Service,
  onProgress: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job> {
  for (;;) {
    const { data: job, response } = await ask(id, service, signal);
    onProgress(job);
    if (isAtRest(job)) return job;
    await pause((retryAfterSeconds(response.headers) ?? askAgainSeconds) * 1_000, signal);
  }
}

async function ask(id: string, { api }: Service, signal: AbortSignal) {
  const answer = await api.GET('/jobs/{id}', { params: { path: { id } }, signal });
  return { data: await dataOf(Promise.resolve(answer)), response: answer.response };
}

/** Asking again would be answered the same; too many requests would not. */
const isRefusal = ({ status }: Response): boolean => status >= 400 && status < 500 && status !== 429;
const isProblem = (error: unknown): error is PortalProblem =>
  error instanceof Error && error.name === 'PortalProblem';
