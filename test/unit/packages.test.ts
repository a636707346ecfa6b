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
/** The rows of the table in docs/extending.md. */
const listed = new Map(
  [...read('docs/extending.md').matchAll(/^\| `(.+?)` \| ([\d.]+) \| (.+) \|$/gm)].map(
    ([, name, version, reason = '']) => [name, { version, reason }],
  ),
);
/** The ranges that the installed packages demand. */
const demanded = (name: string): string[] => locked.flatMap(({ dependencies }) => dependencies[name] ?? []);

describe('an override', () => {
  it('is listed with its version and reason in docs/extending.md', () => {
    for (const [name, version] of Object.entries(overrides)) expect(listed.get(name)?.version, name).toBe(version);
  });

  it('whose reason is Node.js 22 is needed as long as Node.js 20 is supported', () => {
    const held = Object.keys(overrides).filter(name => listed.get(name)?.reason.includes('Node.js 22'));
    expect(held.length, 'remove this test').toBeGreaterThan(0);
    expect(engines.node, `remove the overrides of ${held.join()}`).toBe('>=20.19');
  });

  it('of esbuild is needed as long as a package demands a version with a known vulnerability', () =>
    expect(demanded('esbuild'), 'remove the override of esbuild').toContain('~0.18.20'));

  it('changes the version of a package that others demand', () =>
    expect(Object.keys(overrides).filter(name => demanded(name).length === 0)).toEqual([]));
});
