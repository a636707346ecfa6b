/** Keeps one browser running: launched when first needed, again when it dies, and gone for good when closed. */

import type { Logger } from 'pino';
import type { Browser } from 'playwright';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { ofNobody } from '../../../core/telemetry/log-context.ts';
import { browserLaunches } from '../../../core/telemetry/meter.ts';
import { inBrowserFolder, leaveBrowserFolder } from './browser-folder.ts';
import type { FoundBrowser } from './find-browser.ts';

export interface BrowserKeeper {
  /** The running browser; launches it when there is none. @throws ServiceError `browser-failed` */
  running(): Promise<Browser>;
  /** Ends a browser that no longer obeys; the next `running()` launches another. */
  kill(browser: Browser): void;
  close(): Promise<void>;
  /** How often a browser was launched. */
  readonly launches: number;
}

export interface BrowserKeeperOptions {
  browser: FoundBrowser;
  sandbox: boolean;
  /** Whether pages are drawn as on a screen. */
  drawsFrames: boolean;
  logger: Logger;
}

const launchTimeoutMs = 30_000;
const closeTimeoutMs = 5_000;

const flags = [
  // No name and no address resolves: whatever slips past the page's routes reaches nothing, this machine included.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // Letters stand where the font's own widths put them, not where the screen's pixels would.
  '--font-render-hinting=none',
];

/** A print needs none, and drawing them beside it takes a fifteenth of its time; a screenshot is one. */
const withoutFrames = '--disable-threaded-compositing';

interface Running {
  browser: Browser;
  pid: number;
}

export function keepBrowser(options: BrowserKeeperOptions): BrowserKeeper {
  let current: Promise<Running> | undefined;
  let launches = 0;
  let closed = false;

  async function launchOnce(): Promise<Running> {
    const running = await launch(options);
    launches++;
    browserLaunches.inc();
    const { sandbox } = options;
    const told = { pid: running.pid, version: running.browser.version(), launches, sandbox };
    if (sandbox) options.logger.info(told, 'browser launched');
    else options.logger.warn(told, 'browser launched without its own sandbox');
    running.browser.on(
      'disconnected',
      ofNobody(() => {
        if (closed) return;
        options.logger.warn({ pid: running.pid }, 'browser gone');
        current = undefined;
      }),
    );
    return running;
  }

  return {
    async running() {
      if (closed) throw new Error('The browser was closed for good.');
      const launching = current ?? launchOnce();
      current = launching;
      try {
        return (await launching).browser;
      } catch (error) {
        if (current === launching) current = undefined;
        throw error;
      }
    },
    kill(browser) {
      current?.then(running => running.browser === browser && killGroup(running.pid), ignoreFailedLaunch);
    },
    async close() {
      closed = true;
      const running = await current?.catch(ignoreFailedLaunch);
      if (running) await closeForGood(running);
    },
    get launches() {
      return launches;
    },
  };
}

/** Whoever asked for the launch was told of its failure. */
function ignoreFailedLaunch(): undefined {
  return undefined;
}

async function launch({
  browser: found,
  sandbox,
  drawsFrames,
  logger,
}: BrowserKeeperOptions): Promise<Running> {
  const options = {
    executablePath: found.path,
    env: { ...found.env },
    chromiumSandbox: sandbox,
    args: drawsFrames ? flags : [...flags, withoutFrames],
    timeout: launchTimeoutMs,
    // The process decides itself what a signal means; a browser whose pipe breaks ends by itself.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  try {
    // Loaded when first needed: a worker for other kinds of jobs never does.
    const { chromium } = await import('playwright');
    const browser = await inBrowserFolder(() => chromium.launch(options), logger);
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
  if (main === undefined) throw new Error('The browser does not tell its process id.');
  return main.id;
}

function launchError(error: unknown, found: FoundBrowser): ServiceError {
  const text = error instanceof Error ? error.message : String(error);
  if (/No usable sandbox|sandbox.*(denied|not permitted)|Failed to move to new namespace/i.test(text)) {
    return new ServiceError(
      'browser-failed',
      'The browser may not build its sandbox here: allow user namespaces to this user (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a container the seccomp profile browser-seccomp.json), or set CHROMIUM_SANDBOX=false.',
      { cause: error, passing: false },
    );
  }
  return new ServiceError('browser-failed', `The browser at ${found.path} could not be launched.`, {
    cause: error,
  });
}

async function closeForGood({ browser, pid }: Running): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>(resolve => {
    timer = setTimeout(() => {
      killGroup(pid);
      resolve();
    }, closeTimeoutMs);
  });
  await Promise.race([browser.close(), tooLong]);
  clearTimeout(timer);
  await leaveBrowserFolder();
}

/** Playwright starts the browser as the leader of a process group, so its helpers go with it. */
function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!gone) throw error;
  }
}
