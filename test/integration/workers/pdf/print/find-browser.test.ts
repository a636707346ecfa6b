import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../../core/runtime/config.ts';
import { isBundleSupported, unpackLibraries } from '../../../../../workers/pdf/print/bundled-browser.ts';
import { findBrowser } from '../../../../../workers/pdf/print/find-browser.ts';
import { cacheFolder, testBrowser } from '../../../../support/printing.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-browser-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** A fake browser: a shell script that is called with `--version`. */
async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('findBrowser', () => {
  it('returns the version and an environment without secrets of the service', async () => {
    process.env.CRM_URL = 'https://crm.example/rest/1/secret';
    const found = await testBrowser();
    delete process.env.CRM_URL;
    expect(found.version).toMatch(/\d+\.\d+/);
    expect(Object.keys(found.env)).not.toContain('CRM_URL');
  });

  it('uses CHROMIUM_PATH', async () => {
    const path = await program('chrome-headless-shell', 'echo Chromium 1.2.3');
    expect(await findBrowser({ CHROMIUM_PATH: path }, { cacheFolder })).toMatchObject({
      path,
      kind: 'headless-shell',
      source: 'CHROMIUM_PATH',
      version: 'Chromium 1.2.3',
    });
  });

  it.runIf(isBundleSupported)('adds the bundled libraries when the system lacks them', async () => {
    const path = await program(
      'lacks-libraries',
      '[ -f "$LD_LIBRARY_PATH/libnss3.so" ] || exit 127; echo Chromium 1.2.3',
    );
    const { env } = await findBrowser({ CHROMIUM_PATH: path }, { cacheFolder });
    expect(env.LD_LIBRARY_PATH).toBe(await unpackLibraries(cacheFolder));
  });
});

describe('findBrowser fails with the name of the variable', () => {
  it('when CHROMIUM_PATH does not exist', async () => {
    const missing = findBrowser({ CHROMIUM_PATH: join(folder, 'missing') }, { cacheFolder });
    await expect(missing).rejects.toThrow(ConfigurationError);
    await expect(missing).rejects.toThrow(/^CHROMIUM_PATH must name a browser/);
  });

  it('when it is not executable', async () => {
    const path = await program('not-executable', 'echo Chromium');
    await chmod(path, 0o644);
    await expect(findBrowser({ CHROMIUM_PATH: path }, { cacheFolder })).rejects.toThrow(/^CHROMIUM_PATH must name/);
  });

  it('when it does not start, with its standard error', async () => {
    const path = await program('broken', 'echo cannot open display >&2; exit 1');
    await expect(findBrowser({ CHROMIUM_PATH: path }, { cacheFolder })).rejects.toThrow(
      /^CHROMIUM_PATH names a browser that does not start: cannot open display/,
    );
  });
});

it.runIf(isBundleSupported)('unpacking leaves one complete copy when several processes unpack at once', async () => {
  const fresh = join(folder, 'cache');
  // The browser is unpacked in the same way, which takes ten times as long.
  const paths = await Promise.all([1, 2, 3].map(() => unpackLibraries(fresh)));
  expect(new Set(paths).size).toBe(1);
  expect(await readdir(fresh)).toEqual([expect.stringMatching(/^libraries-/)]);
});
