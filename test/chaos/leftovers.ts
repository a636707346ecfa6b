/** Finds what a stopped service has left on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';

export interface Leftovers {
  /** Command lines, including browsers. */
  processes: string[];
  /** Connections to PostgreSQL, by application. */
  connections: string[];
  redisConnections: number;
  /** Temporary files and folders. */
  files: string[];
  /** Ports in use. */
  ports: number[];
}

interface Options {
  marker: string;
  /** A process of the environment that still runs. */
  except: number;
  databaseUrl: string;
  temporary: string;
  ports: readonly number[];
  /** URLs of all its servers. */
  redis: readonly string[];
}

/** Compile caches of the TypeScript loader. */
const loaders = /^(tsx-|node-compile-cache)/;
const compiler = /\/esbuild\b/;

export async function findLeftovers(options: Options): Promise<Leftovers> {
  const { marker, except, databaseUrl, temporary, ports, redis } = options;
  const files = await readdir(temporary);
  const openPorts = await Promise.all(ports.map(async port => ((await isListening(port)) ? [port] : [])));
  return {
    processes: processesOf(marker, except),
    connections: await connectionsTo(databaseUrl),
    redisConnections: (await Promise.all(redis.map(connectionsToRedis))).reduce((sum, count) => sum + count, 0),
    files: files.filter(name => !loaders.test(name)),
    ports: openPorts.flat(),
  };
}

/** Processes with the marker in their environment, whatever their parent is. Linux only. */
function processesOf(marker: string, except: number): string[] {
  return pidsOf(marker)
    .filter(pid => pid !== except)
    .map(pid => `${pid} ${commandOf(pid)}`)
    .filter(process => !compiler.test(process));
}

export function pidsOf(marker: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => (readOf(pid, 'environ') ?? '').includes(marker));
}

export const commandOf = (pid: number): string => (readOf(pid, 'cmdline') ?? '').replaceAll('\0', ' ');

function readOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // The process has ended.
    return undefined;
  }
}

/** On a busy machine, the server notices later that a process has ended. */
const noticeMs = 5_000;

async function connectionsTo(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const until = Date.now() + noticeMs;
  try {
    for (;;) {
      const { rows } = await client.query(
        `select application_name || ' ' || coalesce(state, '') as label from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      if (rows.length === 0 || Date.now() > until) return rows.map(({ label }) => String(label));
      await wait(100);
    }
  } finally {
    await client.end();
  }
}

async function connectionsToRedis(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    const list = String(await client.client('LIST'));
    // S and M: between a master and its replica.
    const clients = list.split('\n').filter(line => / flags=[^SM ]+ /.test(line));
    return clients.length - 1;
  } finally {
    client.disconnect();
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
