/** An HTTP server on a free loopback port for one test file; records its requests. */
import { createServer, type RequestListener } from 'node:http';

export interface LoopbackServer {
  port: number;
  origin: string;
  /** `GET /path`, in the order received. */
  requests: string[];
  close(): Promise<void>;
}

export async function startLoopbackServer(answer: RequestListener, host = '127.0.0.1'): Promise<LoopbackServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>(listening => server.listen(0, host, listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return {
    port: address.port,
    origin: `http://${host}:${address.port}`,
    requests,
    close: () =>
      new Promise(closed => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
