/** What the README tells the reader to run exists. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));

it('names npm scripts, and only such as exist', () => {
  const named = [...readme.matchAll(/\bnpm (?:run )?(?!ci\b|install\b|run\b)([a-z][a-z:-]*)/g)].map(
    ([, name]) => name,
  );
  expect(named).toContain('demo');
  expect(named.filter(name => name === undefined || !(name in scripts))).toEqual([]);
});

it('links to files of this project that exist', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, target = '']) => target);
  const missing = links.filter(target => {
    try {
      readFileSync(path.join(root, target));
      return false;
    } catch (error) {
      return !(error instanceof Error && 'code' in error && error.code === 'EISDIR');
    }
  });
  expect(missing).toEqual([]);
});
