/** Finds a browser that starts on this machine. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ConfigurationError, trueOrFalse } from '../../../core/runtime/config.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { ServiceConfig } from '../../../core/runtime/service-config.ts';
import { isBundleSupported, unpackBrowser, unpackFonts, unpackLibraries } from './bundled-browser.ts';

export const BrowserConfig = z.object({
  CHROMIUM_PATH: z
    .string()
    .optional()
    .describe(
      'A Chromium, Chrome or headless shell to print with; unset: Playwright’s own, else the system’s, else the bundled one.',
    ),
  CHROMIUM_SANDBOX: trueOrFalse
    .optional()
    .describe(
      'Whether the browser runs in its own sandbox; unset: yes, unless the service runs as root or, outside production, as a user who cannot create one.',
    ),
  ...ServiceConfig.pick({ NODE_ENV: true }).shape,
});
export type BrowserConfig = z.infer<typeof BrowserConfig>;

/** `preferred`: runs without Chromium's own sandbox where this user cannot create one. */
export type SandboxMode = 'required' | 'preferred' | 'off';

export function sandboxMode({ CHROMIUM_SANDBOX, NODE_ENV }: Partial<BrowserConfig>): SandboxMode {
  if (CHROMIUM_SANDBOX === false || (CHROMIUM_SANDBOX === undefined && process.getuid?.() === 0)) return 'off';
  return CHROMIUM_SANDBOX || NODE_ENV === 'production' ? 'required' : 'preferred';
}

export type BrowserSource = 'CHROMIUM_PATH' | 'playwright' | 'system' | 'bundled' | 'installed';

export interface FoundBrowser {
  path: string;
  /** By the file name. A headless shell is twice as fast and takes 200 MB less memory than a full Chromium. */
  kind: 'headless-shell' | 'chromium';
  source: BrowserSource;
  /** The output of `--version`, such as "Chromium 147.0.7727.0"; '' on Windows, where it would open a window. */
  version: string;
  /** The environment of the browser, without the service's secrets. */
  env: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const versionTimeoutMs = 20_000;
const installTimeoutMs = 600_000;

/**
 * Returns the first that starts of: `CHROMIUM_PATH`, Playwright's download, the system's Chromium or Chrome, the bundled
 * headless shell, and the download of Playwright's installer.
 * @param cacheFolder for the unpacked bundle: about 200 MB where no other browser is found
 * @throws ConfigurationError when `CHROMIUM_PATH` cannot be used; ServiceError `browser-failed` when nothing starts
 */
export async function findBrowser(
  config: Pick<BrowserConfig, 'CHROMIUM_PATH'>,
  { cacheFolder: relativeFolder }: { cacheFolder: string },
): Promise<FoundBrowser> {
  const cacheFolder = resolve(relativeFolder);
  if (config.CHROMIUM_PATH !== undefined) return await configuredBrowser(config.CHROMIUM_PATH, cacheFolder);
  const failures: string[] = [];
  const sources: [BrowserSource, () => Promise<string[]>][] = [
    ['playwright', playwrightDownloads],
    ['system', systemBrowsers],
    ['bundled', async () => (isBundleSupported ? [await unpackBrowser(cacheFolder)] : [])],
    ['installed', installWithPlaywright],
  ];
  for (const [source, candidates] of sources) {
    try {
      for (const path of await candidates()) {
        const trial = await tryBrowser(path, source, cacheFolder);
        if ('found' in trial) return trial.found;
        failures.push(`${path}: ${trial.failure}`);
      }
    } catch (error) {
      failures.push(`${source}: ${failureText(error)}`);
    }
  }
  const options = { cause: new Error(failures.join('\n')), transient: false };
  throw new ServiceError('browser-failed', 'No browser was found that starts; set CHROMIUM_PATH to one.', options);
}

async function configuredBrowser(path: string, cacheFolder: string): Promise<FoundBrowser> {
  if (!(await isExecutable(path))) {
    throw new ConfigurationError('CHROMIUM_PATH must name a browser that exists and may be executed.');
  }
  const trial = await tryBrowser(resolve(path), 'CHROMIUM_PATH', cacheFolder);
  if ('found' in trial) return trial.found;
  throw new ConfigurationError(`CHROMIUM_PATH names a browser that does not start: ${trial.failure}`);
}

type Trial = { found: FoundBrowser } | { failure: string };

/** Runs `--version`, on failure again with the bundled shared libraries. */
async function tryBrowser(path: string, source: BrowserSource, cacheFolder: string): Promise<Trial> {
  const kind = source === 'bundled' || /headless[-_]shell/.test(basename(path)) ? 'headless-shell' : 'chromium';
  const env = await browserEnvironment(cacheFolder);
  if (process.platform === 'win32') return { found: { path, kind, source, version: '', env } };
  const failures: string[] = [];
  for (const libraries of isBundleSupported ? [undefined, unpackLibraries] : [undefined]) {
    const trialEnv = libraries ? { ...env, LD_LIBRARY_PATH: await libraries(cacheFolder) } : env;
    try {
      const { stdout } = await run(path, ['--version'], { env: trialEnv, timeout: versionTimeoutMs });
      return { found: { path, kind, source, version: stdout.trim(), env: trialEnv } };
    } catch (error) {
      failures.push(failureText(error));
    }
  }
  return { failure: failures.join('; ') };
}

async function browserEnvironment(cacheFolder: string): Promise<Record<string, string>> {
  // A service's user often has no writable home.
  const env: Record<string, string> = { HOME: cacheFolder };
  for (const name of ['PATH', 'TMPDIR', 'SYSTEMROOT', 'TEMP', 'LOCALAPPDATA']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  if (process.platform !== 'linux') return env;
  return { ...env, LANG: 'C.UTF-8', FONTCONFIG_FILE: await unpackFonts(cacheFolder) };
}

/** Playwright returns the path of the full Chromium only; its headless shell is in a sibling folder of the same revision. */
async function playwrightDownloads(): Promise<string[]> {
  const { chromium } = await import('playwright');
  const full = chromium.executablePath();
  const registry = /^(.*[\\/])chromium-(\d+)[\\/]/.exec(full);
  if (!registry) return await executablesAmong([full]);
  const shellFolder = `${registry[1]}chromium_headless_shell-${registry[2]}`;
  const shells: string[] = [];
  for (const folder of await readdir(shellFolder).catch(() => [])) {
    for (const file of await readdir(join(shellFolder, folder)).catch(() => [])) {
      if (/^(chrome-headless-shell|headless_shell)(\.exe)?$/.test(file)) shells.push(join(shellFolder, folder, file));
    }
  }
  return await executablesAmong([...shells, full]);
}

async function systemBrowsers(): Promise<string[]> {
  const chromium = ['chromium-headless-shell', 'chromium', 'chromium-browser'];
  const names = [...chromium, 'google-chrome', 'google-chrome-stable'];
  const searched = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const folders = [...searched, '/usr/bin', '/usr/local/bin', '/snap/bin'];
  const { PROGRAMFILES, 'PROGRAMFILES(X86)': programFilesX86, LOCALAPPDATA } = process.env;
  const programs = [PROGRAMFILES, programFilesX86, LOCALAPPDATA].filter(folder => folder !== undefined);
  const candidates = [
    ...names.flatMap(name => folders.map(folder => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...programs.map(folder => join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')),
  ];
  return await executablesAmong([...new Set(candidates)]);
}

async function installWithPlaywright(): Promise<string[]> {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
  try {
    await run(process.execPath, [cli, 'install', 'chromium-headless-shell'], { timeout: installTimeoutMs });
  } catch (error) {
    throw new Error(`Playwright's installer failed: ${failureText(error)}`, { cause: error });
  }
  return await playwrightDownloads();
}

async function executablesAmong(paths: string[]): Promise<string[]> {
  const usable = await Promise.all(paths.map(isExecutable));
  return paths.filter((_, index) => usable[index]);
}

async function isExecutable(path: string): Promise<boolean> {
  const [file] = await Promise.all([stat(path), access(path, constants.X_OK)]).catch(() => []);
  return file?.isFile() ?? false;
}

/** The standard error of a failed program, or why it did not run. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const output = 'stderr' in error ? String(error.stderr ?? '').trim() : '';
  return output.slice(-2_000) || error.message;
}
