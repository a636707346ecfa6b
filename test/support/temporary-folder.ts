/** A folder for one test file, gone when the file has run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
