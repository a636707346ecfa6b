/** Launches a browser when it is first needed, and again after it has died or was killed. */
import { rmSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Browser } from 'playwright';
import { ConfigurationError } from '../../../core/runtime/config.ts';
import { codeOf } from '../../../core/runtime/error-code.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { withTimeout } from '../../../core/runtime/timeout.ts';
import { withoutLogContext } from '../../../core/telemetry/log-context.ts';
import { browserLaunches } from '../../../core/telemetry/meter.ts';
import type { FoundBrowser, SandboxMode } from './find-browser.ts';

export interface BrowserSupervisorOptions {
  browser: FoundBrowser;
  sandbox: SandboxMode;
  /** Renders frames as for a screen; screenshots need them. */
  drawsFrames: boolean;
  logger: Logger;
}

/** Browsers that cannot create their sandbox on this machine as this user. */
const sandboxDenied = new WeakSet<FoundBrowser>();

const launchTimeoutMs = 30_000;
const closeTimeoutMs = 5_000;

/** Places glyphs by the font's own widths instead of rounding to screen pixels. */
export const unhintedFonts = '--font-render-hinting=none';

const flags = [
  // No host name or address resolves, not even localhost: a second barrier behind the blocked requests of a page.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  unhintedFonts,
];

/** Printing needs no frames; drawing them takes a fifteenth of its time. */
const withoutFrames = '--disable-threaded-compositing';
/** Chromium's default is one thread for two cores, and at most four. */
const forFrames = `--num-raster-threads=${Math.min(4, os.availableParallelism())}`;

const parent = os.tmpdir();
/** With the host name: hosts may share the folder, and process ids of another host mean nothing here. */
const folderPrefix = `portal-browser-${os.hostname()}-`;
/**
 * The temporary folder of this process for Playwright and the browser. It exists until the process exits: a launch, or a
 * child process that inherited TMPDIR during a launch, may need it at any time. A killed process cannot delete its folder,
 * so the next process that launches a browser on this machine deletes it.
 */
const ownFolder = path.join(parent, folderPrefix + process.pid);

let launching = 0;
/** TMPDIR before the first of the current launches. */
let originalTmpdir: string | undefined;
let cleanup: Promise<void> | undefined;

interface Running {
  browser: Browser;
  pid: number;
}

export type BrowserSupervisor = ReturnType<typeof superviseBrowser>;

export function superviseBrowser(options: BrowserSupervisorOptions) {
  let current: Promise<Running> | undefined;
  let launches = 0;
  let closed = false;
  const isSandboxed = () =>
    options.sandbox === 'required' || (options.sandbox === 'preferred' && !sandboxDenied.has(options.browser));

  async function launchOnce(): Promise<Running> {
    const sandbox = isSandboxed();
    const running = await launch(options, sandbox).catch(error => {
      if (hasCrashed(error)) return launch(options, sandbox);
      if (options.sandbox !== 'preferred' || !(error instanceof ConfigurationError)) throw error;
      sandboxDenied.add(options.browser);
      return launch(options, false);
    });
    launches++;
    browserLaunches.inc();
    const fields = { pid: running.pid, version: running.browser.version(), launches, sandbox: isSandboxed() };
    if (isSandboxed()) options.logger.info(fields, 'browser launched');
    else options.logger.warn(fields, 'browser launched without its own sandbox');
    running.browser.on(
      'disconnected',
      withoutLogContext(() => {
        if (closed) return;
        options.logger.warn({ pid: running.pid }, 'browser disconnected');
        current = undefined;
      }),
    );
    return running;
  }

  return {
    /** Returns the running browser, or launches one. @throws ServiceError `browser-failed` */
    async browser(): Promise<Browser> {
      if (closed) throw new Error('The browser has been closed.');
      const launching = current ?? launchOnce();
      current = launching;
      try {
        return (await launching).browser;
      } catch (error) {
        if (current === launching) current = undefined;
        throw error;
      }
    },
    /** Kills a browser that does not respond; the next `browser()` launches another. */
    kill(browser: Browser): void {
      current?.then(
        running => running.browser === browser && killGroup(running.pid),
        () => undefined,
      );
    },
    /** Closes the browser; `browser()` throws from then on. */
    async close(): Promise<void> {
      closed = true;
      // `browser()` has already thrown the error of a failed launch.
      const running = await current?.catch(() => undefined);
      if (running) await closeBrowser(running);
    },
    get launches() {
      return launches;
    },
    get isSandboxed() {
      return isSandboxed();
    },
  };
}

async function launch(options: BrowserSupervisorOptions, sandbox: boolean): Promise<Running> {
  const { browser: found, drawsFrames, logger } = options;
  const launchOptions = {
    executablePath: found.path,
    // Or a killed browser would leave files where nothing deletes them. Windows reads TEMP.
    env: { ...found.env, TMPDIR: ownFolder, TEMP: ownFolder },
    chromiumSandbox: sandbox,
    args: [...flags, drawsFrames ? forFrames : withoutFrames],
    timeout: launchTimeoutMs,
    // The process handles its signals itself; a browser whose pipe breaks exits by itself.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  try {
    // Imported here, because workers of other job kinds never need it.
    const { chromium } = await import('playwright');
    const browser = await withBrowserTempFolder(() => chromium.launch(launchOptions), logger);
    return { browser, pid: await processId(browser) };
  } catch (error) {
    throw launchError(error, found);
  }
}

async function processId(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const main = processInfo.find(({ type }) => type === 'browser');
  if (main === undefined) throw new Error('The browser does not report its process id.');
  return main.id;
}

/** At its start, Chromium rarely crashes in glibc's `getenv`, which is not safe while another thread changes the environment. */
const hasCrashed = (error: unknown): boolean =>
  error instanceof ServiceError && /signal=SIGSEGV/.test(String(error.cause));

/** A ConfigurationError when the sandbox is the reason: a restart would not help. */
function launchError(error: unknown, found: FoundBrowser): Error {
  if (/No usable sandbox|sandbox.*(denied|not permitted)|Failed to move to new namespace/i.test(String(error)))
    return new ConfigurationError(
      'The browser cannot create its sandbox on this machine: allow user namespaces to this user (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a container the seccomp profile browser-seccomp.json), or set CHROMIUM_SANDBOX=false.',
      { cause: error },
    );
  return new ServiceError('browser-failed', `The browser at ${found.path} could not be launched.`, { cause: error });
}

const closeBrowser = ({ browser, pid }: Running): Promise<void> =>
  withTimeout(browser.close(), closeTimeoutMs, () => killGroup(pid));

/** Playwright starts the browser as leader of a process group, so this also kills its child processes. */
function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    // The browser has exited.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

async function withBrowserTempFolder<T>(launch: () => Promise<T>, logger: Logger): Promise<T> {
  if (launching === 0) originalTmpdir = process.env.TMPDIR;
  launching += 1;
  try {
    cleanup ??= removeAbandoned(logger).finally(() => process.once('exit', removeOwnFolder));
    await cleanup;
    await mkdir(ownFolder, { recursive: true, mode: 0o700 });
    // Playwright creates the profile folder in TMPDIR; it has no option for it.
    process.env.TMPDIR = ownFolder;
    return await launch();
  } finally {
    launching -= 1;
    if (launching === 0 && originalTmpdir !== undefined) process.env.TMPDIR = originalTmpdir;
    else if (launching === 0) delete process.env.TMPDIR;
  }
}

function removeOwnFolder(): void {
  try {
    rmSync(ownFolder, { recursive: true, force: true });
  } catch {
    // A browser is still writing; the next process deletes it.
  }
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
  if (!name.startsWith(folderPrefix)) return false;
  const pid = Number(name.slice(folderPrefix.length));
  return pid === process.pid || !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
