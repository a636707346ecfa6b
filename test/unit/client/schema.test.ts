/** Checks that the published client matches the API, and that it runs in browsers. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeClientTypes } from '../../../api/document/client-types.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const sources = path.join(root, 'client/src');

it('has the types of the API document (otherwise run npm run client:types)', async () => {
  const generated = path.join(temporaryFolder(), 'schema.ts');
  await writeClientTypes(generated);
  const isUpToDate = readFileSync(generated, 'utf8') === readFileSync(path.join(sources, 'schema.ts'), 'utf8');
  expect(isUpToDate).toBe(true);
});

it('imports Node.js modules only in node.ts', () => {
  const files = readdirSync(sources).filter(file =>
    /(?:from|import\() *'node:/.test(readFileSync(path.join(sources, file), 'utf8')),
  );
  expect(files).toEqual(['node.ts']);
});
