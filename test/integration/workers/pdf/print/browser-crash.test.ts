/** A browser that crashes while it starts, and what a killed one leaves. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testBrowser, testPrinter } from '../../../../support/printing.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

/** A browser that crashes at its first `times` launches. */
async function crashing(times: number) {
  const folder = temporaryFolder();
  const found = await testBrowser();
  const path = join(folder, 'headless-shell');
  const counts = `echo >>'${folder}/launches'; [ $(wc -l <'${folder}/launches') -gt ${times} ] || kill -SEGV $$`;
  await writeFile(path, `#!/bin/sh\n${counts}\nexec '${found.path}' "$@"\n`);
  await chmod(path, 0o755);
  return { ...found, path };
}

it('is launched once more', async () => {
  const printer = await testPrinter({ browser: await crashing(1) });
  const html = '<!doctype html><title>Homes</title><h1>Beach';
  const { pdf } = await printer.print({ html, assets: new Map(), signal: AbortSignal.timeout(30_000) });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  await printer.close();
});

it('that crashes again is an error', async () => {
  const starting = testPrinter({ browser: await crashing(2) });
  await expect(starting).rejects.toThrow(/could not be launched/);
});

it('has its temporary files where the process deletes them', async () => {
  const folder = temporaryFolder();
  const found = await testBrowser();
  const path = join(folder, 'headless-shell');
  await writeFile(path, `#!/bin/sh\necho "$TMPDIR" >'${folder}/temporary'\nexec '${found.path}' "$@"\n`);
  await chmod(path, 0o755);
  const printer = await testPrinter({ browser: { ...found, path } });
  await printer.close();
  const temporary = await readFile(join(folder, 'temporary'), 'utf8');
  expect(temporary.trim()).toBe(join(tmpdir(), `portal-browser-${hostname()}-${process.pid}`));
});
