/**
 * Where Playwright and the browser keep their files while they run: in one folder of this process. A process that is
 * killed cannot clear up after itself; the next one that launches a browser on this machine does it.
 */
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';

const parent = os.tmpdir();
/** With the host's name, for where several share the folder: the ids of others' processes mean nothing here. */
const prefix = `portal-browser-${os.hostname()}-`;
const own = path.join(parent, prefix + process.pid);

/** Launches under way, and what TMPDIR was before the first of them. */
let launching = 0;
let usual: string | undefined;
let cleared: Promise<void> | undefined;

export async function inBrowserFolder<T>(launch: () => Promise<T>, logger: Logger): Promise<T> {
  if (launching === 0) usual = process.env.TMPDIR;
  launching += 1;
  try {
    cleared ??= clearUp(logger);
    await cleared;
    await mkdir(own, { recursive: true, mode: 0o700 });
    // Playwright makes the folder of the browser's profile there, and takes no other word for it.
    process.env.TMPDIR = own;
    return await launch();
  } finally {
    launching -= 1;
    if (launching === 0) putBack();
  }
}

function putBack(): void {
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
}

/** Once a browser has ended; the folder stays while another of this process runs or is being launched. */
export async function leaveBrowserFolder(): Promise<void> {
  if (launching > 0) return;
  await rmdir(own).catch(error => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code)) throw error;
  });
}

/** Once a process: what dead processes left, one with our own id among them. */
async function clearUp(logger: Logger): Promise<void> {
  const abandoned = (await readdir(parent)).filter(isAbandoned);
  for (const name of abandoned) {
    // The browser of a process that died just now may still be on its way out.
    await rm(path.join(parent, name), { recursive: true, force: true, maxRetries: 5 }).catch(error =>
      logger.warn({ err: error, folder: name }, 'what a dead process left could not be removed'),
    );
  }
}

function isAbandoned(name: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const pid = Number(name.slice(prefix.length));
  return pid === process.pid || !lives(pid);
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
