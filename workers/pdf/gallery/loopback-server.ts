import { createServer, type RequestListener } from 'node:http';

export interface LoopbackServer {
  origin: string;
  close(): Promise<void>;
}

/** Serves HTTP on 127.0.0.1. @param port 0 for a free one */
export async function serveOnLoopback(listener: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    origin: `http://127.0.0.1:${boundPort}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
