/** A machine that denies user namespaces, as Ubuntu 24.04 and many containers do: Chromium cannot create its sandbox. */
import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../../core/runtime/config.ts';
import { sandboxMode } from '../../../../../workers/pdf/print/find-browser.ts';
import { testBrowser, testPrinter } from '../../../../support/printing.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const folder = temporaryFolder();
let browser: Awaited<ReturnType<typeof testBrowser>>;

/** Runs a program as an ordinary user in a namespace that allows no further user namespace. */
const denied = [
  'exec unshare --user --map-root-user sh -c',
  `'echo 1 > /proc/sys/user/max_user_namespaces && exec unshare --user --map-user=1000 "$@"' sh`,
].join(' ');
const canDeny = spawnSync('sh', ['-c', `${denied} true`]).status === 0;

beforeAll(async () => {
  const found = await testBrowser();
  const path = join(folder, 'headless-shell');
  await writeFile(path, `#!/bin/sh\n${denied} '${found.path}' "$@"\n`);
  await chmod(path, 0o755);
  browser = { ...found, path };
});

it.runIf(canDeny)('prints without the sandbox where it is preferred, with one warning', async () => {
  const warnings: unknown[] = [];
  const logger = pino({ level: 'warn' }, { write: line => warnings.push(JSON.parse(line)) });
  const printer = await testPrinter({ browser: { ...browser }, sandbox: 'preferred', logger });
  const html = '<!doctype html><title>Homes</title><h1>Beach';
  const { pdf } = await printer.print({ html, assets: new Map(), signal: AbortSignal.timeout(30_000) });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(printer.isSandboxed()).toBe(false);
  await printer.close();
  expect(warnings).toEqual([expect.objectContaining({ msg: 'browser launched without its own sandbox' })]);
});

it.runIf(canDeny)('does not start where the sandbox is required, and says what to do', async () => {
  const starting = testPrinter({ browser, sandbox: 'required' });
  await expect(starting).rejects.toThrow(ConfigurationError);
  await expect(starting).rejects.toThrow(
    /^The browser cannot create its sandbox on this machine: .+, or set CHROMIUM_SANDBOX=false\.$/,
  );
});

it('requires the sandbox in production and when it is set; root has none', () => {
  const asRoot = process.getuid?.() === 0;
  expect(sandboxMode({ NODE_ENV: 'production' })).toBe(asRoot ? 'off' : 'required');
  expect(sandboxMode({ NODE_ENV: 'development' })).toBe(asRoot ? 'off' : 'preferred');
  expect(sandboxMode({ NODE_ENV: 'development', CHROMIUM_SANDBOX: true })).toBe('required');
  expect(sandboxMode({ NODE_ENV: 'production', CHROMIUM_SANDBOX: false })).toBe('off');
});
