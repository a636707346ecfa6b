/** A callback receiver on loopback: records the requests of each path and answers with the statuses that a test sets. */
import { startLoopbackServer } from './loopback-server.ts';

export interface Received {
  method: string | undefined;
  headers: Record<string, string>;
  body: string;
}

export interface CallbackReceiver {
  /** Value for EGRESS_ALLOW. */
  host: string;
  /** The URL of a path; its default status is 204. */
  url(path: string): string;
  /** @param answer returns the status of the n-th response, from 1; a promise delays it */
  answerWith(path: string, answer: (time: number) => number | Promise<number>): void;
  received(path: string): Received[];
  close(): Promise<void>;
}

export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const received = new Map<string, Received[]>();
  const answers = new Map<string, (time: number) => number | Promise<number>>();
  const requestsOf = (path: string): Received[] => received.get(path) ?? [];

  const server = await startLoopbackServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const one = {
      method: request.method,
      headers: Object.fromEntries(headers),
      body: Buffer.concat(chunks).toString(),
    };
    received.set(path, [...requestsOf(path), one]);
    const status = (await answers.get(path)?.(requestsOf(path).length)) ?? 204;
    response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end();
  });
  return {
    host: `127.0.0.1:${server.port}`,
    url: path => server.origin + path,
    answerWith: (path, answer) => void answers.set(path, answer),
    received: requestsOf,
    close: server.close,
  };
}
