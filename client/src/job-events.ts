/** Reads a job's event stream (server-sent events, WHATWG HTML section 9.2). */
import type { Job } from './job.ts';

export interface JobEvent {
  /** Value of `Last-Event-ID` to resume after this event. */
  id: string;
  /** The job at the time of the event. */
  job: Job;
}

/** @param onBytes called for every chunk, heartbeats included */
export async function* jobEvents(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<JobEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      text += decoder.decode(value, { stream: true });
      const messages = text.split(/\r\n\r\n|\n\n|\r\r/);
      text = messages.pop() ?? '';
      for (const message of messages) {
        const event = eventOf(message);
        if (event) yield event;
      }
    }
  } finally {
    // Closes the connection when the consumer stops early.
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined for a message without data, such as a heartbeat. */
function eventOf(message: string): JobEvent | undefined {
  const fields = message.split(/\r\n|\n|\r/).map(line => /^(id|data): ?(.*)$/.exec(line));
  const valuesOf = (name: string) => fields.flatMap(field => (field?.[1] === name ? [field[2] ?? ''] : []));
  const data = valuesOf('data');
  if (data.length === 0) return undefined;
  return { id: valuesOf('id').at(-1) ?? '', job: JSON.parse(data.join('\n')) };
}
