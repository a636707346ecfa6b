/** Simulates an internal service: records connections. A test fails when the canary receives one. */
import { createServer } from 'node:net';

export interface Canary {
  port: number;
  /** The first bytes of each connection, in the order of the connections; '' until bytes arrive. */
  connections: string[];
  close(): Promise<void>;
}

/** @param host `::` listens on all addresses of the machine, including IPv4 */
export async function startCanary(host: string, port = 0): Promise<Canary> {
  const touched: string[] = [];
  const server = createServer(socket => {
    const index = touched.push('') - 1;
    socket.on('error', () => undefined);
    socket.once('data', bytes => {
      touched[index] = bytes.toString('latin1');
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret');
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the canary has no TCP port');
  return { port: address.port, connections: touched, close: () => new Promise(closed => server.close(() => closed())) };
}
