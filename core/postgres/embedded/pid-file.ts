/** What `postmaster.pid` says about a running PostgreSQL, and whether it is still true. */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Larger than any process id of any system. */
const nobodysPid = 2_147_483_647;

export interface Postmaster {
  pid: number;
  /** Missing while it starts. */
  port: number | undefined;
}

/** The PostgreSQL that runs on `data`; undefined when none does. */
export function runningPostmaster(data: string): Postmaster | undefined {
  const file = path.join(data, 'postmaster.pid');
  const text = readIfThere(file);
  // Lines: process id, data folder, start time, port, ...
  const [pidLine = '', , , portLine = ''] = text?.split('\n') ?? [];
  const pid = Number(pidLine);
  if (text === undefined || !Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  if (existsSync('/proc/self/cmdline') && !isServerOf(pid, data)) {
    disown(file, text);
    return undefined;
  }
  return { pid, port: Number(portLine) || undefined };
}

/** A process of another user is none of our servers. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Tells the server from a zombie, which has no arguments left, and from whatever got its number after a reboot or in
 * a copy of the folder. Not by its working folder, which root in a container may not see.
 */
function isServerOf(pid: number, data: string): boolean {
  const [program = '', ...args] = readIfThere(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
  const flag = args.indexOf('-D');
  const folder = args[flag + 1];
  if (path.basename(program) !== 'postgres' || flag === -1 || folder === undefined) return false;
  const movedWhileItRan = !existsSync(folder);
  return movedWhileItRan || realpathSync(folder) === realpathSync(data);
}

/**
 * PostgreSQL does not start while the process of the file lives, whatever it is: in a container that is started
 * anew, the same small number often belongs to another program. The number is replaced and not the file removed, as
 * PostgreSQL also looks there for the memory that orphans of the old server may still use.
 */
function disown(file: string, seen: string): void {
  // No await between the two: another process may be starting a server.
  if (readIfThere(file) === seen) writeFileSync(file, seen.replace(/^\d+/, String(nobodysPid)));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: the process ended while its file in /proc was read.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code)))
      return undefined;
    throw error;
  }
}
