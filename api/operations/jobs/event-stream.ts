/** A job's event stream: every change of its row as a server-sent event (WHATWG HTML, section 9.2), to the end. */
import { Readable } from 'node:stream';
import { jobAfter } from '../../../core/jobs/event.ts';
import { isAtRest, type JobRecord } from '../../../core/jobs/record.ts';
import { jobResource } from '../../../core/jobs/resource.ts';
import type { ApiServices } from '../../services.ts';

export type StreamServices = Pick<ApiServices, 'config' | 'events' | 'records' | 'waiter'>;

export interface StreamOptions {
  /** The id of the last change that the client has seen; 0: none. */
  after: number;
  /** Asked now and then: whether the client may still listen, and the job is still there. */
  isWelcome(): Promise<boolean>;
  /** What of the job the client may see. */
  shown(job: JobRecord): JobRecord;
  /** Aborted when the stream is over: the client hung up, or must be cut off. */
  signal: AbortSignal;
}

/** Changes read at once. */
const pageOfChanges = 200;

/** How long a client waits before it connects again, in ms. */
const reconnectMs = 2_000;

/** The stream's bytes, made as fast as the client takes them. */
export function eventStream(jobId: string, services: StreamServices, options: StreamOptions): Readable {
  const stream = Readable.from(messages(jobId, services, options), { objectMode: false });
  options.signal.addEventListener('abort', () => stream.destroy(), { once: true });
  return stream;
}

async function* messages(
  jobId: string,
  services: StreamServices,
  { after, isWelcome, shown, signal }: StreamOptions,
): AsyncGenerator<string> {
  const { config, waiter: watch } = services;
  yield `retry: ${reconnectMs}\n\n`;
  let last = after;
  let saidAt = Date.now();
  while (!watch.closed && !signal.aborted) {
    const changed = watch.nextChange(jobId, signal, config.EVENT_HEARTBEAT_MS);
    const changes = await changesAfter(jobId, last, services, shown);
    for (const { id, data } of changes) {
      yield `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
      last = id;
      saidAt = Date.now();
    }
    if (changes.length === pageOfChanges) continue;
    // A job that was run again or released has ends in its middle; only the last change tells that it is over.
    if (isAtRest(changes.at(-1)?.data.state ?? 'running')) return;
    await changed;
    if (Date.now() - saidAt < config.EVENT_HEARTBEAT_MS) continue;
    if (!(await isWelcome())) return;
    yield ': still here\n\n';
    saidAt = Date.now();
  }
}

/** Each with the job as it stood then. */
async function changesAfter(
  jobId: string,
  last: number,
  { config, events, records }: StreamServices,
  shown: StreamOptions['shown'],
) {
  const changes = await events.changesAfter(jobId, last, pageOfChanges);
  const latest = changes.length > 0 ? await records.find(jobId) : undefined;
  if (!latest) return [];
  return changes.map(change => ({
    id: change.id,
    data: jobResource(jobAfter(shown(latest), change), config.BASE_PATH),
  }));
}
