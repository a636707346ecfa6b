/** Reads an event stream as a browser does (WHATWG HTML, section 9.2.6), as far as the service's own goes. */
import { JobResource } from '../../core/jobs/resource.ts';

export interface StreamEvent {
  id: string;
  job: JobResource;
}

export interface EventReader {
  status: number;
  headers: Headers;
  /** What has come so far. */
  events: StreamEvent[];
  comments: string[];
  retryMs: number | undefined;
  /** Resolves when the service closes the stream; rejects when it breaks. */
  ended: Promise<void>;
  /** Hangs up. */
  close(): void;
}

export async function openEventReader(
  origin: string,
  accessToken: string,
  jobId: string,
  lastEventId?: string,
): Promise<EventReader> {
  const hangUp = new AbortController();
  const response = await fetch(`${origin}/v2/jobs/${jobId}/events`, {
    headers: {
      authorization: `Bearer ${accessToken}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: hangUp.signal,
  });
  const reader: EventReader = {
    status: response.status,
    headers: response.headers,
    events: [],
    comments: [],
    retryMs: undefined,
    ended: Promise.resolve(),
    close: () => hangUp.abort(),
  };
  reader.ended = read(response, reader);
  // Whoever cares waits for it; a test that hangs up does not.
  reader.ended.catch(() => undefined);
  return reader;
}

async function read(response: Response, reader: EventReader): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      take(rest.slice(0, end).split('\n'), reader);
      rest = rest.slice(end + 2);
    }
  }
}

function take(lines: readonly string[], reader: EventReader): void {
  const field = (name: string): string | undefined =>
    lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, data, comment, retry] = ['id', 'data', '', 'retry'].map(field);
  if (id !== undefined && data !== undefined) {
    reader.events.push({ id, job: JobResource.parse(JSON.parse(data)) });
  }
  if (comment !== undefined) reader.comments.push(comment);
  if (retry !== undefined) reader.retryMs = Number(retry);
}
