/** Where browsers may lie on this machine, and the installer that brings one. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const installTimeoutMs = 600_000;

/** Playwright tells the full Chromium's path only; its headless shell lies in the sibling folder of the same revision. */
export async function playwrightDownloads(): Promise<string[]> {
  const { chromium } = await import('playwright');
  const full = chromium.executablePath();
  const registry = /^(.*[\\/])chromium-(\d+)[\\/]/.exec(full);
  const shellFolder = registry ? `${registry[1]}chromium_headless_shell-${registry[2]}` : undefined;
  const shells =
    shellFolder === undefined
      ? []
      : await filesTwoDeep(shellFolder, /^(chrome-headless-shell|headless_shell)(\.exe)?$/);
  return await executablesAmong([...shells, full]);
}

async function filesTwoDeep(folder: string, name: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const inner of await readdir(folder).catch(() => [])) {
    for (const file of await readdir(join(folder, inner)).catch(() => [])) {
      if (name.test(file)) found.push(join(folder, inner, file));
    }
  }
  return found;
}

export async function systemBrowsers(): Promise<string[]> {
  const onPath = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/local/bin',
    '/snap/bin',
  ].filter(Boolean);
  const programs = [
    process.env.PROGRAMFILES,
    process.env['PROGRAMFILES(X86)'],
    process.env.LOCALAPPDATA,
  ].filter(folder => folder !== undefined);
  const candidates = [
    ...onPath.flatMap(name => folders.map(folder => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...programs.map(folder => join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')),
  ];
  return await executablesAmong([...new Set(candidates)]);
}

export async function installWithPlaywright(): Promise<string[]> {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
  try {
    await run(process.execPath, [cli, 'install', 'chromium-headless-shell'], { timeout: installTimeoutMs });
  } catch (error) {
    throw new Error(`Playwright's installer failed: ${sentenceOf(error)}`, { cause: error });
  }
  return await playwrightDownloads();
}

async function executablesAmong(paths: string[]): Promise<string[]> {
  const usable = await Promise.all(paths.map(isExecutable));
  return paths.filter((_, index) => usable[index]);
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** What a program that failed said on standard error, or why it could not be run. */
export function sentenceOf(error: unknown): string {
  if (
    error instanceof Error &&
    'stderr' in error &&
    typeof error.stderr === 'string' &&
    error.stderr.trim() !== ''
  ) {
    return error.stderr.trim().slice(-2_000);
  }
  return error instanceof Error ? error.message : String(error);
}
