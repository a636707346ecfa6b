/** Finds a running PostgreSQL by its `postmaster.pid`, and invalidates stale files. */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../runtime/error-code.ts';

/** Larger than any process id. */
const unusedPid = 2_147_483_647;

export interface Postmaster {
  pid: number;
  /** Undefined while it starts. */
  port: number | undefined;
}

/** The PostgreSQL server of the data folder; undefined when none runs. */
export function runningPostmaster(data: string): Postmaster | undefined {
  const file = path.join(data, 'postmaster.pid');
  const text = readIfThere(file);
  // Lines: process id, data folder, start time, port, ...
  const [pidLine = '', , , portLine = ''] = text?.split('\n') ?? [];
  const pid = Number(pidLine);
  if (text === undefined || !Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  if (existsSync('/proc/self/cmdline') && !isServerOf(pid, data)) {
    invalidate(file, text);
    return undefined;
  }
  return { pid, port: Number(portLine) || undefined };
}

/** Also false for processes of other users, which are never our servers. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * False for a zombie, which has no arguments, and for a process that got the id after a reboot or in a copy of the
 * folder. Does not compare working folders: root in a container may not see them.
 */
function isServerOf(pid: number, data: string): boolean {
  const [program = '', ...args] = readIfThere(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
  const flag = args.indexOf('-D');
  const folder = args[flag + 1];
  if (path.basename(program) !== 'postgres' || flag === -1 || folder === undefined) return false;
  const wasMoved = !existsSync(folder);
  return wasMoved || realpathSync(folder) === realpathSync(data);
}

/**
 * Replaces the process id in the file. PostgreSQL does not start while any process has that id, and in a restarted
 * container another program often has it. The file stays, because PostgreSQL reads the shared memory id of the old
 * server's orphans from it.
 */
function invalidate(file: string, expected: string): void {
  // Synchronous read and write: another process may be starting a server.
  if (readIfThere(file) === expected) writeFileSync(file, expected.replace(/^\d+/, String(unusedPid)));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: the process ended while its file in /proc was read.
    if (!['ENOENT', 'ESRCH'].includes(codeOf(error))) throw error;
    return undefined;
  }
}
