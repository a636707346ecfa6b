/** What a service that was stopped in order has left on the machine: there should be nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';

export interface LeftBehind {
  /** Command lines of processes, browsers among them. */
  processes: string[];
  /** Connections to PostgreSQL, by application. */
  connections: string[];
  /** Connections to Redis. */
  redisConnections: number;
  /** Files and folders for a moment's use. */
  files: string[];
  /** Ports on which somebody still listens. */
  ports: number[];
}

interface Place {
  brand: string;
  /** A process of the stage's own. */
  except: number;
  databaseUrl: string;
  temporary: string;
  ports: readonly number[];
  redis: string | undefined;
}

/** Signs of life, for the health checks of containers: a file each, touched again and again. */
const kept = new Set(['portal-worker-alive', 'portal-scheduler-alive']);
/** Compiled sources, kept by the TypeScript loader of a checkout. */
const loaders = /^(tsx-|node-compile-cache)/;
const compiler = /\/esbuild\b/;

export async function leftBehind(place: Place): Promise<LeftBehind> {
  const { brand, except, databaseUrl, temporary, ports, redis } = place;
  const files = await readdir(temporary);
  const open = await Promise.all(ports.map(async port => ((await listens(port)) ? [port] : [])));
  return {
    processes: processesOf(brand, except),
    connections: await connectionsTo(databaseUrl),
    redisConnections: redis === undefined ? 0 : await connectionsToRedis(redis),
    files: files.filter(name => !kept.has(name) && !loaders.test(name)),
    ports: open.flat(),
  };
}

/** Those with the brand in their environment, whoever their parent is by now. Linux only. */
function processesOf(brand: string, except: number): string[] {
  return pidsOf(brand)
    .filter(pid => pid !== except)
    .map(pid => `${pid} ${commandOf(pid)}`)
    .filter(process => !compiler.test(process));
}

export function pidsOf(brand: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => (readOf(pid, 'environ') ?? '').includes(brand));
}

export const commandOf = (pid: number): string => (readOf(pid, 'cmdline') ?? '').replaceAll('\0', ' ');

function readOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}

async function connectionsTo(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select application_name || ' ' || coalesce(state, '') as what from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.map(({ what }) => String(what));
  } finally {
    await client.end();
  }
}

async function connectionsToRedis(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    const list = String(await client.client('LIST'));
    return list.trim().split('\n').length - 1;
  } finally {
    client.disconnect();
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
