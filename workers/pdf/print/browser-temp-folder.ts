/**
 * The temporary folder of this process for Playwright and the browser. A killed process cannot delete its folder, so the
 * next process that launches a browser on this machine deletes it.
 */
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';

const parent = os.tmpdir();
/** With the host name: hosts may share the folder, and process ids of another host mean nothing here. */
const prefix = `portal-browser-${os.hostname()}-`;
const ownFolder = path.join(parent, prefix + process.pid);

let launching = 0;
/** TMPDIR before the first of the current launches. */
let originalTmpdir: string | undefined;
let cleanup: Promise<void> | undefined;

export async function withBrowserTempFolder<T>(launch: () => Promise<T>, logger: Logger): Promise<T> {
  if (launching === 0) originalTmpdir = process.env.TMPDIR;
  launching += 1;
  try {
    cleanup ??= removeAbandoned(logger);
    await cleanup;
    await mkdir(ownFolder, { recursive: true, mode: 0o700 });
    // Playwright creates the profile folder in TMPDIR; it has no option for it.
    process.env.TMPDIR = ownFolder;
    return await launch();
  } finally {
    launching -= 1;
    if (launching === 0) restoreTmpdir();
  }
}

/** Call it after a browser has ended. Keeps the folder while this process runs or launches another browser. */
export async function removeBrowserTempFolder(): Promise<void> {
  if (launching > 0) return;
  await rmdir(ownFolder).catch(error => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code)) throw error;
  });
}

function restoreTmpdir(): void {
  if (originalTmpdir === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = originalTmpdir;
}

async function removeAbandoned(logger: Logger): Promise<void> {
  for (const name of (await readdir(parent)).filter(isAbandoned)) {
    // Retries, because the browser of a process that has just died may still be writing.
    await rm(path.join(parent, name), { recursive: true, force: true, maxRetries: 5 }).catch(error =>
      logger.warn({ err: error, folder: name }, 'temporary folder of a dead process could not be removed'),
    );
  }
}

/** Also a folder with our own process id: it belonged to an earlier process. */
function isAbandoned(name: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const pid = Number(name.slice(prefix.length));
  return pid === process.pid || !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
