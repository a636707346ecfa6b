/** Waits for a job: follows its event stream, and polls if the stream does not work. */

import { deadline, pause } from './abortable.ts';
import { jobOf } from './call.ts';
import { PortalError, PortalTimeoutError } from './errors.ts';
import { idOf, isAtRest, type Job, type JobKind, type JobRef } from './job.ts';
import { jobEvents } from './job-events.ts';
import { respond } from './methods.ts';
import { PortalProblem, problemOf, retryAfterSeconds } from './portal-problem.ts';
import { routeById } from './route.ts';
import type { Service } from './service.ts';

export interface WaitOptions<K extends JobKind = JobKind> {
  /** Called with the job at each change of its state or progress. */
  onProgress?: (job: Job<K>) => void;
  /** Ends the wait; does not cancel the job. */
  signal?: AbortSignal | undefined;
  /** Ends the wait with a `PortalTimeoutError`; default: no limit. */
  timeoutMs?: number | undefined;
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
 * @throws PortalProblem such as 404 for an unknown job; PortalTimeoutError; the signal's reason
 */
export async function waitForJob(
  job: JobRef,
  service: Service,
  { onProgress = () => undefined, signal, timeoutMs }: WaitOptions = {},
): Promise<Job> {
  const id = idOf(job);
  const late = new PortalTimeoutError(
    `The job ${id} did not end within ${timeoutMs} ms; it continues.`,
    timeoutMs ?? 0,
  );
  const limit = deadline(timeoutMs, late, signal);
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
    const onEvent = (event: JobEvent) => {
      lastEventId = event.id;
      onProgress(event.job);
    };
    const outcome = await listen(id, service, { lastEventId, onEvent, signal });
    if (outcome === 'no-streams') return undefined;
    const { job } = await getJob(id, service, signal);
    if (isAtRest(job)) return job;
    if (lastEventId !== seen) emptyStreams = -1;
    await pause(reconnectMs, signal);
  }
  return undefined;
}

interface JobEvent {
  id: string;
  job: Job;
}

/** Reads one stream until it ends or breaks. */
async function listen(
  id: string,
  { baseUrl, send }: Service,
  { lastEventId, onEvent, signal }: { lastEventId: string; onEvent: (event: JobEvent) => void; signal: AbortSignal },
): Promise<'ended' | 'no-streams'> {
  const heartbeat = deadline(heartbeatTimeoutMs, new PortalError('The event stream sent no heartbeat.'), signal);
  try {
    const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) };
    const address = `${baseUrl}/jobs/${encodeURIComponent(id)}/events`;
    const response = await send(new Request(address, { headers, signal: heartbeat.signal }), { expects: 'events' });
    if (response.status === 204) return 'ended';
    if (isRejection(response)) throw await problemOf(response);
    if (!response.ok || response.body === null) return 'no-streams';
    for await (const event of jobEvents(response.body, heartbeat.restart)) onEvent(event);
    return 'ended';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PortalProblem) throw error;
    return heartbeat.signal.aborted ? 'no-streams' : 'ended';
  } finally {
    heartbeat.release();
  }
}

async function poll(id: string, service: Service, onProgress: (job: Job) => void, signal: AbortSignal): Promise<Job> {
  for (;;) {
    const { job, response } = await getJob(id, service, signal);
    onProgress(job);
    if (isAtRest(job)) return job;
    await pause((retryAfterSeconds(response.headers) ?? pollSeconds) * 1_000, signal);
  }
}

async function getJob(id: string, service: Service, signal: AbortSignal) {
  const response = await respond(service, { route: routeById('jobs.get'), input: { id }, options: { signal } });
  return { job: await jobOf(response.json()), response };
}

/** A client error other than a timeout or 429: retrying would fail again. */
const isRejection = ({ status }: Response): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;
