/** What the processes of a service take and hold: memory, files, connections, browsers, temporary files. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** MB of memory of their own, by role: not of files, which the system takes away and gives back as it likes. */
export type Footprint = ReadonlyMap<Role, number>;

export const roles = ['api', 'worker', 'browser', 'scheduler', 'sandbox'] as const;
export type Role = (typeof roles)[number];

export interface OpenThings {
  /** File descriptors, sockets among them, by role. */
  files: ReadonlyMap<Role, number>;
  connections: number;
  browsers: number;
  temporary: number;
}

interface Running {
  pid: number;
  role: Role;
}

const words: [Role, RegExp][] = [
  ['browser', /--(type|remote-debugging)/],
  ['api', /\bapi\/main\.[tj]s/],
  ['worker', /\bworkers\/main\.[tj]s/],
  ['scheduler', /\bworkers\/scheduler\.[tj]s/],
  ['sandbox', /\bsandbox\/main\.[tj]s/],
];

export function footprint(): Footprint {
  const sums = new Map<Role, number>();
  for (const { pid, role } of running()) sums.set(role, (sums.get(role) ?? 0) + megabytesOf(pid));
  return sums;
}

export async function openThings(databaseUrl: string, temporary: string): Promise<OpenThings> {
  const all = running();
  const files = new Map<Role, number>();
  for (const { pid, role } of all)
    if (role !== 'browser') files.set(role, (files.get(role) ?? 0) + namesIn(`/proc/${pid}/fd`).length);
  return {
    files,
    connections: await connectionsTo(databaseUrl),
    browsers: all.filter(({ pid, role }) => role === 'browser' && !commandOf(pid).includes('--type=')).length,
    temporary: namesIn(temporary).length,
  };
}

/** Processes that descend from this one. */
function running(): Running[] {
  const parents = new Map(
    namesIn('/proc')
      .filter(isNumber)
      .map(pid => [Number(pid), parentOf(Number(pid))]),
  );
  const isOurs = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
      if (at === process.pid) return true;
    return false;
  };
  return [...parents.keys()].filter(isOurs).flatMap(pid => {
    const command = commandOf(pid);
    const found = words.find(([, word]) => word.test(command));
    return found ? [{ pid, role: found[0] }] : [];
  });
}

const isNumber = (name: string): boolean => /^\d+$/.test(name);

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);

const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

const megabytesOf = (pid: number): number =>
  Number(/^Pss_Anon:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;

/** '' for a process that has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function connectionsTo(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.length;
  } finally {
    await client.end();
  }
}
