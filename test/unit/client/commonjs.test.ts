/** The types for CommonJS name every value that the package exports. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as client from '../../../client/src/index.ts';
import * as node from '../../../client/src/node.ts';

it.each([
  ['index.d.cts', client],
  ['node.d.cts', node],
])('%s', (file, exported) => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../../client/commonjs', file), 'utf8');
  const declared = [...text.matchAll(/export declare (?:const|class) (\w+)(?:: typeof| extends) \w+\.(\w+)/g)].map(
    ([, name, source]) => {
      expect(name).toBe(source);
      return name;
    },
  );
  expect(declared.sort()).toEqual(Object.keys(exported).sort());
});
