/** Finds a browser that starts on this machine, however bare it is. */
import { execFile } from 'node:child_process';
import { basename, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ConfigurationError } from '../../../core/runtime/config.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import {
  installWithPlaywright,
  isExecutable,
  playwrightDownloads,
  sentenceOf,
  systemBrowsers,
} from './browser-candidates.ts';
import { bundleRunsHere, unpackBrowser, unpackFonts, unpackLibraries } from './bundled-browser.ts';
import type { BrowserConfig } from './config.ts';

const run = promisify(execFile);
const trialTimeoutMs = 20_000;

export type BrowserSource = 'CHROMIUM_PATH' | 'playwright' | 'system' | 'bundled' | 'installed';

export interface FoundBrowser {
  path: string;
  /** Told by the file's name. A headless shell is two times faster and 200 MB lighter than a full Chromium. */
  kind: 'headless-shell' | 'chromium';
  source: BrowserSource;
  /** As the browser says it, such as "Chromium 147.0.7727.0"; '' on Windows, where asking opens a window. */
  version: string;
  /** All the browser gets to see of the environment: none of the service's secrets. */
  env: Readonly<Record<string, string>>;
}

interface Place {
  /** A folder of our own for what is unpacked: about 200 MB where no other browser is found. */
  cacheFolder: string;
}

/**
 * Takes the first that starts of: `CHROMIUM_PATH`, Playwright's download, the system's Chromium or Chrome, the bundled
 * headless shell, and what Playwright's installer brings.
 * @throws ConfigurationError when `CHROMIUM_PATH` cannot be used; ServiceError `browser-failed` when nothing starts
 */
export async function findBrowser(config: BrowserConfig, place: Place): Promise<FoundBrowser> {
  const cacheFolder = resolve(place.cacheFolder);
  if (config.CHROMIUM_PATH !== undefined) return await chosenBrowser(config.CHROMIUM_PATH, cacheFolder);
  const failures: string[] = [];
  const sources: [BrowserSource, () => Promise<string[]>][] = [
    ['playwright', playwrightDownloads],
    ['system', systemBrowsers],
    ['bundled', async () => (bundleRunsHere ? [await unpackBrowser(cacheFolder)] : [])],
    ['installed', installWithPlaywright],
  ];
  for (const [source, candidates] of sources) {
    try {
      for (const path of await candidates()) {
        const trial = await startsHere(path, source, cacheFolder);
        if ('found' in trial) return trial.found;
        failures.push(`${path}: ${trial.failure}`);
      }
    } catch (error) {
      failures.push(`${source}: ${sentenceOf(error)}`);
    }
  }
  throw new ServiceError(
    'browser-failed',
    'No browser could be found that starts; set CHROMIUM_PATH to one.',
    {
      cause: new Error(failures.join('\n')),
      passing: false,
    },
  );
}

async function chosenBrowser(path: string, cacheFolder: string): Promise<FoundBrowser> {
  if (!(await isExecutable(path))) {
    throw new ConfigurationError('CHROMIUM_PATH must name a browser that exists and may be executed.');
  }
  const trial = await startsHere(resolve(path), 'CHROMIUM_PATH', cacheFolder);
  if ('found' in trial) return trial.found;
  throw new ConfigurationError(`CHROMIUM_PATH names a browser that does not start: ${trial.failure}`);
}

type Trial = { found: FoundBrowser } | { failure: string };

/** Asks the browser its version; one that lacks shared libraries is asked again with ours. */
async function startsHere(path: string, source: BrowserSource, cacheFolder: string): Promise<Trial> {
  const kind =
    source === 'bundled' || /headless[-_]shell/.test(basename(path)) ? 'headless-shell' : 'chromium';
  const env = await browserEnvironment(cacheFolder);
  if (process.platform === 'win32') return { found: { path, kind, source, version: '', env } };
  const failures: string[] = [];
  for (const libraries of bundleRunsHere ? [undefined, unpackLibraries] : [undefined]) {
    const trialEnv =
      libraries === undefined ? env : { ...env, LD_LIBRARY_PATH: await libraries(cacheFolder) };
    try {
      const { stdout } = await run(path, ['--version'], { env: trialEnv, timeout: trialTimeoutMs });
      return { found: { path, kind, source, version: stdout.trim(), env: trialEnv } };
    } catch (error) {
      failures.push(sentenceOf(error));
    }
  }
  return { failure: failures.join('; ') };
}

async function browserEnvironment(cacheFolder: string): Promise<Record<string, string>> {
  const passedOn = ['PATH', 'TMPDIR', 'SYSTEMROOT', 'TEMP', 'LOCALAPPDATA'].flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // A service's own user often has no home to write to.
  const home = { HOME: cacheFolder };
  if (process.platform !== 'linux') return { ...Object.fromEntries(passedOn), ...home };
  return {
    ...Object.fromEntries(passedOn),
    ...home,
    LANG: 'C.UTF-8',
    FONTCONFIG_FILE: await unpackFonts(cacheFolder),
  };
}
