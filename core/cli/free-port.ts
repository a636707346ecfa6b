/** Free TCP ports. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { codeOf } from '../runtime/error-code.ts';
import { StartError } from '../runtime/start-error.ts';

/** Returns a free port of the loopback interface. */
export const freePort = (): Promise<number> => tryPort(0, '127.0.0.1');

/** @throws StartError when the process could not listen there */
export async function requireFreePort(variable: string, port: number, host: string): Promise<void> {
  await tryPort(port, host).catch(error => {
    const code = codeOf(error);
    const fault = code === 'EADDRINUSE' ? `is in use at ${host}` : `cannot be opened at ${host} (${code})`;
    throw new StartError(`Port ${port} ${fault}: stop the program that uses it, or set ${variable} to another port.`);
  });
}

async function tryPort(port: number, host: string): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the operating system assigned no port');
  return address.port;
}
