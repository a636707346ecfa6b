/**
 * Vitest's `globalSetup`, the first: gives the run a temporary folder of its own, and fails it if its tests leave a file there,
 * data of an embedded PostgreSQL in `/var/lib/portal-service`, or a process.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Each process that a test starts inherits it. */
const runVariable = 'PORTAL_TEST_RUN';

const sharedFolder = '/var/lib/portal-service';

/**
 * Caches of compiled modules, which Node.js keeps for each version and `tsx` for each account; the browser's folder of a killed
 * process, which the next process with a browser deletes; and the files of browsers that tests kill.
 */
const kept = /^(?:node-compile-cache|tsx-\d+|portal-browser-.+|\.org\.chromium\..+)$/;

export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-run-'));
  // Tests start processes as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  const run = randomUUID();
  process.env[runVariable] = run;
  const shared = namesIn(sharedFolder);

  return async () => {
    const left = await processesLeft(run);
    for (const name of namesIn(folder)) if (!kept.test(name)) left.push(path.join(folder, name));
    // A run of another checkout may have put its data there meanwhile.
    const added = namesIn(sharedFolder).filter(
      name => !shared.includes(name) && !isInUse(path.join(sharedFolder, name)),
    );
    left.push(...added.map(name => path.join(sharedFolder, name)));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    if (left.length === 0) return;
    // Vitest logs what a teardown throws, and still reports success.
    process.exitCode = 1;
    throw new Error(`The tests left behind:\n${left.map(each => `  ${each}`).join('\n')}`);
  };
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

const isInUse = (home: string): boolean => existsSync(path.join(home, 'cluster', 'data', 'postmaster.pid'));

/** Those of the run that still exist after ten seconds. Linux only: other systems do not show the environment of a process. */
async function processesLeft(run: string): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const found = processesOf(run);
    if (found.length === 0 || tries === 100) return found;
    await delay(100);
  }
}

/** Vitest's workers and its compiler, which are children of this process, end later. */
function processesOf(run: string): string[] {
  return namesIn('/proc').flatMap(pid => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const isChild = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`);
      if (isChild || !environment.includes(`${runVariable}=${run}`)) return [];
      return [`process ${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
    } catch {
      // The process ended meanwhile, or belongs to another account.
      return [];
    }
  });
}
