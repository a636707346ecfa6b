/** The published client fits the API as it is, and needs nothing that a browser lacks. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const sources = path.join(root, 'client/src');

it('has the types of the API document: if not, run npm run client:types', async () => {
  const made = path.join(temporaryFolder(), 'schema.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'api/cli/client-types.ts', made], {
    cwd: root,
  });
  const isUpToDate = readFileSync(made, 'utf8') === readFileSync(path.join(sources, 'schema.ts'), 'utf8');
  expect(isUpToDate).toBe(true);
});

it('imports nothing of Node.js but in its part for Node.js', () => {
  const files = readdirSync(sources).filter(file =>
    /(?:from|import\() *'node:/.test(readFileSync(path.join(sources, file), 'utf8')),
  );
  expect(files).toEqual(['node.ts']);
});
