/** Versions of packages of packages in `overrides` of `package.json`: docs/extending.md gives the reason of each. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const names = z.record(z.string(), z.string());
const { engines, overrides } = z
  .object({ engines: z.object({ node: z.string() }), overrides: names })
  .parse(JSON.parse(read('package.json')));
const locked = Object.values(
  z
    .object({ packages: z.record(z.string(), z.object({ dependencies: names.default({}) })) })
    .parse(JSON.parse(read('package-lock.json'))).packages,
);
/** The ranges that the installed packages demand. */
const demanded = (name: string): string[] => locked.flatMap(({ dependencies }) => dependencies[name] ?? []);

describe('an override', () => {
  it.each(Object.entries(overrides))(
    'of %s is listed with its version and reason in docs/extending.md',
    (name, version) => {
      expect(read('docs/extending.md')).toMatch(
        new RegExp(`^\\| \`${name}\` \\| ${version.replaceAll('.', '\\.')} \\| \\S`, 'm'),
      );
    },
  );

  it.each(['cookie', 'nopt', 'cssnano', '@fastify/static'])(
    'of %s is needed as long as Node.js 20 is supported',
    name => {
      expect(overrides[name], 'remove its row from this test').toBeDefined();
      expect(engines.node, `remove the override of ${name}`).toBe('>=20.19');
    },
  );

  it('of esbuild is needed as long as a package demands a version with a known vulnerability', () => {
    expect(demanded('esbuild'), 'remove the override of esbuild').toContain('~0.18.20');
  });

  it('changes the version of a package that others demand', () => {
    expect(Object.keys(overrides).filter(name => demanded(name).length === 0)).toEqual([]);
  });
});
