/** Checks that the published client runs in browsers. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const sources = path.join(root, 'client/src');

it('imports Node.js modules only in node.ts', () => {
  const files = readdirSync(sources).filter(file =>
    /(?:from|import\() *'node:/.test(readFileSync(path.join(sources, file), 'utf8')),
  );
  expect(files).toEqual(['node.ts']);
});
