/** The embedded PostgreSQL's port: taken once and kept, so that its URL stays the same over restarts. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chown, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import type { PostgresHome } from './home.ts';

/** Below the ports that systems give to outgoing connections (Linux: from 32768), one of which could take it. */
const firstPort = 15_000;
const lastPort = 29_999;

const portFile = (folder: string): string => path.join(folder, 'port');

/** The port kept in `home`, or another if it is taken or there is none yet. */
export async function choosePort({ folder }: PostgresHome): Promise<number> {
  let port = Number(await readFile(portFile(folder), 'utf8').catch(() => ''));
  while (!(port > 0 && (await isFree(port)))) port = randomInt(firstPort, lastPort + 1);
  return port;
}

export async function keepPort({ folder, account }: PostgresHome, port: number): Promise<void> {
  await writeFile(portFile(folder), String(port));
  if (account) await chown(portFile(folder), account.uid, account.gid);
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
