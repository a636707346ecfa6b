/** Free TCP ports. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { codeOf } from './error-code.ts';
import { StartError } from './start-error.ts';

/** Below the ephemeral ports (Linux: from 32768), which outgoing connections could occupy before the program listens. */
const ports = { first: 12_000, last: 21_999 };

/** Returns a free port of the loopback interface, at random. */
export async function freePort(): Promise<number> {
  const port = randomInt(ports.first, ports.last + 1);
  return (await isFreePort(port)) ? port : await freePort();
}

/** Whether a program could listen there on the loopback interface. */
export const isFreePort = (port: number): Promise<boolean> =>
  tryPort(port, '127.0.0.1').then(
    () => true,
    () => false,
  );

/** @throws StartError when the process could not listen there */
export async function requireFreePort(variable: string, port: number, host: string): Promise<void> {
  await tryPort(port, host).catch(error => {
    const code = codeOf(error);
    const fault = code === 'EADDRINUSE' ? `is in use at ${host}` : `cannot be opened at ${host} (${code})`;
    throw new StartError(`Port ${port} ${fault}: stop the program that uses it, or set ${variable} to another port.`);
  });
}

async function tryPort(port: number, host: string): Promise<void> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
