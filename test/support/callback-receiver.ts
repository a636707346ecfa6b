/** A receiver of callbacks on loopback: keeps what came to each path, and answers there as a test tells it. */
import { startLoopbackServer } from './loopback-server.ts';

export interface Received {
  method: string | undefined;
  headers: Record<string, string>;
  body: string;
}

export interface CallbackReceiver {
  /** As EGRESS_ALLOW names it. */
  host: string;
  /** The address of a path, which answers 204 unless told otherwise. */
  url(path: string): string;
  /** @param answer the status of the n-th answer, from 1; a promise holds it back */
  answers(path: string, answer: (time: number) => number | Promise<number>): void;
  received(path: string): Received[];
  close(): Promise<void>;
}

export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const received = new Map<string, Received[]>();
  const answers = new Map<string, (time: number) => number | Promise<number>>();
  const of = (path: string): Received[] => received.get(path) ?? [];

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
    received.set(path, [...of(path), one]);
    const status = (await answers.get(path)?.(of(path).length)) ?? 204;
    response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end();
  });
  return {
    host: `127.0.0.1:${server.port}`,
    url: path => server.origin + path,
    answers: (path, answer) => void answers.set(path, answer),
    received: of,
    close: server.close,
  };
}
