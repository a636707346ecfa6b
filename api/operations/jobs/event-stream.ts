/** Event stream of a job: every change of its row as a server-sent event (WHATWG HTML section 9.2), until its end. */
import { Readable } from 'node:stream';
import { jobAfter } from '../../../core/jobs/event.ts';
import { isAtRest, type JobRecord } from '../../../core/jobs/record.ts';
import { jobResource } from '../../../core/jobs/resource.ts';
import type { ApiServices } from '../../services.ts';

export type StreamServices = Pick<ApiServices, 'config' | 'events' | 'records' | 'waiter'>;

export interface StreamOptions {
  /** Id of the last change that the client has received; 0: none. */
  after: number;
  /** Checked before every heartbeat: the token is live and the job exists. */
  isAllowed(): Promise<boolean>;
  /** Removes what the client may not see. */
  shown(job: JobRecord): JobRecord;
  /** Aborts when the client disconnects or the stream must be closed. */
  signal: AbortSignal;
}

/** Changes per query. */
const maxChanges = 200;

const reconnectMs = 2_000;

/** Produces events at the pace of the client. */
export function eventStream(jobId: string, services: StreamServices, options: StreamOptions): Readable {
  const stream = Readable.from(messages(jobId, services, options), { objectMode: false });
  options.signal.addEventListener('abort', () => stream.destroy(), { once: true });
  return stream;
}

async function* messages(
  jobId: string,
  services: StreamServices,
  { after, isAllowed, shown, signal }: StreamOptions,
): AsyncGenerator<string> {
  const { config, waiter } = services;
  yield `retry: ${reconnectMs}\n\n`;
  let last = after;
  let sentAt = Date.now();
  while (!waiter.closed && !signal.aborted) {
    const changed = waiter.nextChange(jobId, signal, config.EVENT_HEARTBEAT_MS);
    const changes = await changesAfter(jobId, last, services, shown);
    for (const { id, data } of changes) {
      yield `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
      last = id;
      sentAt = Date.now();
    }
    if (changes.length === maxChanges) continue;
    // A retried or released job has earlier ends; only the last change counts.
    if (isAtRest(changes.at(-1)?.data.state ?? 'running')) return;
    await changed;
    if (Date.now() - sentAt < config.EVENT_HEARTBEAT_MS) continue;
    if (!(await isAllowed())) return;
    yield ': still here\n\n';
    sentAt = Date.now();
  }
}

/** Changes with the job at that time. */
async function changesAfter(
  jobId: string,
  last: number,
  { config, events, records }: StreamServices,
  shown: StreamOptions['shown'],
) {
  const changes = await events.changesAfter(jobId, last, maxChanges);
  const latest = changes.length > 0 ? await records.find(jobId) : undefined;
  if (!latest) return [];
  return changes.map(change => ({
    id: change.id,
    data: jobResource(jobAfter(shown(latest), change), config.BASE_PATH),
  }));
}
