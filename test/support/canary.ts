/** Stands for a service of the inside: it takes connections and counts them. A test in which it counts one has failed. */
import { createServer } from 'node:net';

export interface Canary {
  port: number;
  /** What came over each connection first, in the order of the connections; '' while nothing came. */
  touched: string[];
  close(): Promise<void>;
}

/** @param host `::` is every address of the machine, IPv4 as well */
export async function startCanary(host: string, port = 0): Promise<Canary> {
  const touched: string[] = [];
  const server = createServer(socket => {
    const place = touched.push('') - 1;
    socket.on('error', () => undefined);
    socket.once('data', bytes => {
      touched[place] = bytes.toString('latin1');
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret');
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the canary has no port');
  return {
    port: address.port,
    touched,
    close: () => new Promise(closed => server.close(() => closed())),
  };
}
