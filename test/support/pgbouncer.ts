/** PgBouncer before a test's database, configured as `docs/production.md` shows. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withConnection } from '../../core/postgres/connection.ts';
import { ordinaryAccount } from '../../core/postgres/embedded/account.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { freePort } from '../../core/runtime/free-port.ts';
import { isRoot } from '../../core/runtime/private-folder.ts';

/** Debian installs it outside the search path of ordinary users. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

export const hasPgBouncer = spawnSync('pgbouncer', ['--version'], { env }).status === 0;

export interface PgBouncer {
  /** The URL of the database through PgBouncer. */
  url: string;
  /** Kills it and starts it again after `downMs`. */
  restart(downMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param poolSize few connections, so that the transactions of one client get different sessions */
export async function startPgBouncer(databaseUrl: string, folder: string, poolSize = 3): Promise<PgBouncer> {
  const url = new URL(databaseUrl);
  const port = await freePort();
  const documented = /^```ini\n(\[databases\].*?)^```$/ms.exec(
    readFileSync(path.join(rootFolder, 'docs/production.md'), 'utf8'),
  )?.[1];
  const ini = new Map([
    [
      'portal = host=postgres port=5432 pool_size=40',
      `${url.pathname.slice(1)} = host=127.0.0.1 port=${url.port} pool_size=${poolSize}`,
    ],
    ['listen_addr = 0.0.0.0', 'listen_addr = 127.0.0.1\nunix_socket_dir ='],
    ['listen_port = 6432', `listen_port = ${port}`],
    ['/etc/pgbouncer/userlist.txt', path.join(folder, 'userlist.txt')],
  ]);
  let settings = documented ?? '';
  for (const [from, to] of ini) {
    if (!settings.includes(from)) throw new Error(`docs/production.md has no pgbouncer.ini with "${from}"`);
    settings = settings.replace(from, to);
  }
  writeFileSync(path.join(folder, 'pgbouncer.ini'), settings);
  writeFileSync(path.join(folder, 'userlist.txt'), `"${url.username}" "${url.password}"\n`);
  // PgBouncer refuses to run as root; the ordinary account reads the folder.
  chmodSync(folder, 0o755);
  const account = isRoot() ? await ordinaryAccount() : {};
  url.port = String(port);
  const start = async (): Promise<ChildProcess> => {
    const file = path.join(folder, 'pgbouncer.ini');
    const started = spawn('pgbouncer', ['-q', file], { env, ...account, stdio: 'ignore' });
    await answers(url.href, started);
    return started;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = new Promise(resolve => server.once('exit', resolve));
    if (server.exitCode === null && server.kill(signal)) await ended;
  };
  return {
    url: url.href,
    async restart(downMs) {
      await end('SIGKILL');
      await sleep(downMs);
      server = await start();
    },
    stop: () => end('SIGINT'),
  };
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  const isUp = () => withConnection({ connectionString: url }, () => Promise.resolve(true)).catch(() => false);
  while (!(await isUp())) {
    if (server.exitCode !== null) throw new Error(`PgBouncer ended with the exit code ${server.exitCode}`);
    await sleep(20);
  }
}
