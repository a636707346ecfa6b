/** Waits for a job: follows its event stream, and polls if the stream does not work. */

import { deadline, pause } from './abortable.ts';
import { dataOf, type Service } from './call.ts';
import { idOf, isAtRest, type Job, type JobKind, type JobRef } from './job.ts';
import { jobEvents } from './job-events.ts';
import { type PortalProblem, problemOf, retryAfterSeconds } from './portal-problem.ts';

export interface WaitOptions<K extends JobKind = JobKind> {
  /** Called with the job at each change of its state or progress. */
  onProgress?: (job: Job<K>) => void;
  /** Ends the wait; does not cancel the job (`DELETE /jobs/{id}` does). */
  signal?: AbortSignal;
  /** Ends the wait with a `TimeoutError`; default: no limit. */
  timeoutMs?: number;
}

/** The service sends a heartbeat every 15 seconds; a longer heartbeat means that a proxy buffers the stream. */
const heartbeatTimeoutMs = 45_000;
const reconnectMs = 2_000;
/** Consecutive streams without an event before the client polls instead. */
const maxEmptyStreams = 3;
const pollSeconds = 2;

export function waitForJob<K extends JobKind>(
  job: JobRef<K>,
  service: Service,
  options?: WaitOptions<K>,
): Promise<Job<K>>;
/**
 * @returns the job once it has ended or is held
 * @throws PortalProblem such as 404 for an unknown job; the signal's reason; DOMException `TimeoutError`
 */
export async function waitForJob(
  job: JobRef,
  service: Service,
  { onProgress = () => undefined, signal, timeoutMs }: WaitOptions = {},
): Promise<Job> {
  const id = idOf(job);
  const limit = deadline(timeoutMs, `The job ${id} did not end within ${timeoutMs} ms; it continues.`, signal);
  try {
    return (
      (await followStream(id, service, onProgress, limit.signal)) ?? (await poll(id, service, onProgress, limit.signal))
    );
  } finally {
    limit.release();
  }
}

/** Returns undefined if event streams do not work. */
async function followStream(
  id: string,
  service: Service,
  onProgress: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job | undefined> {
  let lastEventId = '';
  for (let emptyStreams = 0; emptyStreams < maxEmptyStreams; emptyStreams += 1) {
    const seen = lastEventId;
    const outcome = await listen(id, service, lastEventId, signal, event => {
      lastEventId = event.id;
      onProgress(event.job);
    });
    if (outcome === 'no-streams') return undefined;
    const { data: job } = await getJob(id, service, signal);
    if (isAtRest(job)) return job;
    if (lastEventId !== seen) emptyStreams = -1;
    await pause(reconnectMs, signal);
  }
  return undefined;
}

/** Reads one stream until it ends or breaks. */
async function listen(
  id: string,
  { baseUrl, fetch }: Service,
  lastEventId: string,
  signal: AbortSignal,
  onEvent: (event: { id: string; job: Job }) => void,
): Promise<'ended' | 'no-streams'> {
  const heartbeat = deadline(heartbeatTimeoutMs, 'The event stream sent no heartbeat.', signal);
  try {
    const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
    const response = await fetch(`${baseUrl}/jobs/${encodeURIComponent(id)}/events`, {
      headers,
      signal: heartbeat.signal,
    });
    if (response.status === 204) return 'ended';
    if (isRejection(response)) throw await problemOf(response);
    if (!response.ok || response.body === null) return 'no-streams';
    for await (const event of jobEvents(response.body, heartbeat.restart)) onEvent(event);
    return 'ended';
  } catch (error) {
    signal.throwIfAborted();
    if (isProblem(error)) throw error;
    return heartbeat.signal.aborted ? 'no-streams' : 'ended';
  } finally {
    heartbeat.release();
  }
}

async function poll(id: string, service: Service, onProgress: (job: Job) => void, signal: AbortSignal): Promise<Job> {
  for (;;) {
    const { data: job, response } = await getJob(id, service, signal);
    onProgress(job);
    if (isAtRest(job)) return job;
    await pause((retryAfterSeconds(response.headers) ?? pollSeconds) * 1_000, signal);
  }
}

async function getJob(id: string, { api }: Service, signal: AbortSignal) {
  const result = await api.GET('/jobs/{id}', { params: { path: { id } }, signal });
  return { data: await dataOf(Promise.resolve(result)), response: result.response };
}

/** A client error other than 429: retrying would fail again. */
const isRejection = ({ status }: Response): boolean => status >= 400 && status < 500 && status !== 429;
const isProblem = (error: unknown): error is PortalProblem => error instanceof Error && error.name === 'PortalProblem';
