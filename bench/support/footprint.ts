/** Resources of a service's processes: memory, files, connections, browsers, temporary files. Linux only. */
import pg from 'pg';
import { descendsFrom, megabytesOf, namesIn, openFilesOf, runningProcesses } from './process-tree.ts';

/** Anonymous memory in MB by role; excludes mapped files, which the system may evict. */
export type Footprint = ReadonlyMap<Role, number>;

export const roles = ['api', 'worker', 'browser', 'scheduler', 'sandbox'] as const;
export type Role = (typeof roles)[number];

export interface OpenResources {
  /** File descriptors, including sockets, by role. */
  files: ReadonlyMap<Role, number>;
  connections: number;
  browsers: number;
  temporary: number;
}

interface RoleProcess {
  pid: number;
  role: Role;
  command: string;
}

const rolePatterns: [Role, RegExp][] = [
  ['browser', /--(type|remote-debugging)/],
  ['api', /\bapi\/main\.[tj]s/],
  ['worker', /\bworkers\/main\.[tj]s/],
  ['scheduler', /\bworkers\/scheduler\.[tj]s/],
  ['sandbox', /\bsandbox\/main\.[tj]s/],
];

export function footprint(): Footprint {
  const sums = new Map<Role, number>();
  for (const { pid, role } of ownProcesses()) sums.set(role, (sums.get(role) ?? 0) + megabytesOf(pid, 'Pss_Anon'));
  return sums;
}

export async function openResources(databaseUrl: string, temporary: string): Promise<OpenResources> {
  const all = ownProcesses();
  const files = new Map<Role, number>();
  for (const { pid, role } of all) if (role !== 'browser') files.set(role, (files.get(role) ?? 0) + openFilesOf(pid));
  return {
    files,
    connections: await connectionsTo(databaseUrl),
    browsers: all.filter(({ role, command }) => role === 'browser' && !command.includes('--type=')).length,
    temporary: namesIn(temporary).length,
  };
}

/** This process and its descendants, with their roles. */
function ownProcesses(): RoleProcess[] {
  return runningProcesses().flatMap(({ pid, command }) => {
    const role = rolePatterns.find(([, pattern]) => pattern.test(command))?.[0];
    return role && descendsFrom(pid, process.pid) ? [{ pid, role, command }] : [];
  });
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
