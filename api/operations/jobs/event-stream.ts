/** Event stream of a job: every change of its row as a server-sent event (WHATWG HTML section 9.2), until its end. */
import { Readable } from 'node:stream';
import { jobAfter } from '../../../core/jobs/event.ts';
import { isAtRest, type JobRecord } from '../../../core/jobs/record.ts';
import { jobResource } from '../../../core/jobs/resource.ts';
import type { ApiServices } from '../../services.ts';

export type StreamServices = Pick<ApiServices, 'address' | 'config' | 'events' | 'waiter'>;

export interface StreamOptions {
  /** Id of the last change that the client has received; 0: none. */
  after: number;
  /** Read before events and heartbeats: the job as the client may see it now; undefined ends the stream. */
  visibleJob(): Promise<JobRecord | undefined>;
  /** Aborts when the client disconnects or the stream must be closed. */
  signal: AbortSignal;
}

/** Changes per query. */
const maxChanges = 200;
/** A slow client reads the changes of one query for longer than this. */
const maxCheckAgeMs = 1_000;

const reconnectMs = 2_000;

/** Produces events at the pace of the client. */
export function eventStream(jobId: string, services: StreamServices, options: StreamOptions): Readable {
  const stream = Readable.from(messages(jobId, services, options), { objectMode: false });
  options.signal.addEventListener('abort', () => stream.destroy(), { once: true });
  return stream;
}

async function* messages(
  jobId: string,
  { address, config, events, waiter }: StreamServices,
  { after, visibleJob, signal }: StreamOptions,
): AsyncGenerator<string> {
  yield `retry: ${reconnectMs}\n\n`;
  let last = after;
  let sentAt = Date.now();
  while (!waiter.closed && !signal.aborted) {
    const changed = waiter.nextChange(jobId, signal, config.EVENT_HEARTBEAT_MS);
    const changes = await events.changesAfter(jobId, last, maxChanges);
    let isOver = false;
    let checked: { at: number; job: JobRecord } | undefined;
    for (const change of changes) {
      if (!checked || Date.now() - checked.at > maxCheckAgeMs) {
        const job = await visibleJob();
        if (!job) return;
        checked = { at: Date.now(), job };
      }
      const data = jobResource(jobAfter(checked.job, change), address);
      yield `id: ${change.id}\ndata: ${JSON.stringify(data)}\n\n`;
      // A retried or released job has earlier ends; only the last change counts.
      isOver = isAtRest(data.state);
      last = change.id;
      sentAt = Date.now();
    }
    if (changes.length === maxChanges) continue;
    if (isOver) return;
    await changed;
    if (Date.now() - sentAt < config.EVENT_HEARTBEAT_MS) continue;
    if (!(await visibleJob())) return;
    yield ': still here\n\n';
    sentAt = Date.now();
  }
}
