/** Reads an event stream of the service (WHATWG HTML, section 9.2.6). */
import { JobResource } from '../../core/jobs/resource.ts';

export interface StreamEvent {
  id: string;
  job: JobResource;
}

export interface EventReader {
  status: number;
  headers: Headers;
  /** Events received so far. */
  events: StreamEvent[];
  comments: string[];
  retryMs: number | undefined;
  /** Resolves when the service closes the stream; rejects when it breaks. */
  ended: Promise<void>;
  /** Closes the connection. */
  close(): void;
}

export async function openEventReader(
  origin: string,
  accessToken: string,
  jobId: string,
  lastEventId?: string,
): Promise<EventReader> {
  const connection = new AbortController();
  const response = await fetch(`${origin}/v2/jobs/${jobId}/events`, {
    headers: {
      authorization: `Bearer ${accessToken}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: connection.signal,
  });
  const reader: EventReader = {
    status: response.status,
    headers: response.headers,
    events: [],
    comments: [],
    retryMs: undefined,
    ended: Promise.resolve(),
    close: () => connection.abort(),
  };
  reader.ended = read(response, reader);
  // Not every test awaits `ended`.
  reader.ended.catch(() => undefined);
  return reader;
}

async function read(response: Response, reader: EventReader): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      addMessage(rest.slice(0, end).split('\n'), reader);
      rest = rest.slice(end + 2);
    }
  }
}

function addMessage(lines: readonly string[], reader: EventReader): void {
  const field = (name: string): string | undefined =>
    lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, data, comment, retry] = ['id', 'data', '', 'retry'].map(field);
  if (id !== undefined && data !== undefined) {
    reader.events.push({ id, job: JobResource.parse(JSON.parse(data)) });
  }
  if (comment !== undefined) reader.comments.push(comment);
  if (retry !== undefined) reader.retryMs = Number(retry);
}
