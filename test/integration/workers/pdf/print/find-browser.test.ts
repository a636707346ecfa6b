import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../../core/runtime/config.ts';
import {
  isBundleSupported,
  unpackBrowser,
  unpackLibraries,
} from '../../../../../workers/pdf/print/bundled-browser.ts';
import { findBrowser } from '../../../../../workers/pdf/print/find-browser.ts';
import { cacheFolder, testBrowser } from '../../../../support/printing.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-browser-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Stands for a browser: answers `--version` as the shell script says. */
async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('the browser found', () => {
  it('says its version and sees no secret of the service', async () => {
    process.env.CRM_URL = 'https://crm.example/rest/1/secret';
    const found = await testBrowser();
    delete process.env.CRM_URL;
    expect(found.version).toMatch(/\d+\.\d+/);
    expect(Object.keys(found.env)).not.toContain('CRM_URL');
  });

  it('is the one CHROMIUM_PATH names', async () => {
    const path = await program('chrome-headless-shell', 'echo Chromium 1.2.3');
    expect(await findBrowser({ CHROMIUM_PATH: path }, { cacheFolder })).toMatchObject({
      path,
      kind: 'headless-shell',
      source: 'CHROMIUM_PATH',
      version: 'Chromium 1.2.3',
    });
  });

  it.runIf(isBundleSupported)('gets the bundled libraries where the system lacks them', async () => {
    const path = await program(
      'lacks-libraries',
      '[ -f "$LD_LIBRARY_PATH/libnss3.so" ] || exit 127; echo Chromium 1.2.3',
    );
    const { env } = await findBrowser({ CHROMIUM_PATH: path }, { cacheFolder });
    expect(env.LD_LIBRARY_PATH).toBe(await unpackLibraries(cacheFolder));
  });
});

describe('a CHROMIUM_PATH that cannot be used stops the start, and names the variable', () => {
  it('when nothing is there', async () => {
    const missing = findBrowser({ CHROMIUM_PATH: join(folder, 'missing') }, { cacheFolder });
    await expect(missing).rejects.toThrow(ConfigurationError);
    await expect(missing).rejects.toThrow(/^CHROMIUM_PATH must name a browser/);
  });

  it('when it may not be executed', async () => {
    const path = await program('not-executable', 'echo Chromium');
    await chmod(path, 0o644);
    await expect(findBrowser({ CHROMIUM_PATH: path }, { cacheFolder })).rejects.toThrow(
      /^CHROMIUM_PATH must name/,
    );
  });

  it('when it does not start, with what it said', async () => {
    const path = await program('broken', 'echo cannot open display >&2; exit 1');
    await expect(findBrowser({ CHROMIUM_PATH: path }, { cacheFolder })).rejects.toThrow(
      /^CHROMIUM_PATH names a browser that does not start: cannot open display/,
    );
  });
});

it.runIf(isBundleSupported)(
  'several that unpack at once end with one whole copy and no drafts',
  async () => {
    const fresh = join(folder, 'cache');
    const paths = await Promise.all([1, 2, 3].map(() => unpackBrowser(fresh)));
    expect(new Set(paths).size).toBe(1);
    expect(await readdir(fresh)).toEqual([expect.stringMatching(/^chromium-/)]);
  },
  30_000,
);
