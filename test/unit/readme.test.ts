/** The README and the docs name existing scripts, files and headings only. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const docs = readdirSync(path.join(root, 'docs')).filter(name => name.endsWith('.md'));
const pages = ['README.md', 'SECURITY.md', 'client/README.md', ...docs.map(name => `docs/${name}`)];
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));

describe.each(pages)('%s', page => {
  const text = readFileSync(path.join(root, page), 'utf8');

  it('names existing npm scripts only', () => {
    const named = [...text.matchAll(/\bnpm (?:run )?(?!ci\b|install\b|run\b)([a-z][a-z:-]*)/g)].map(([, name]) => name);
    expect(named.filter(name => name === undefined || !(name in scripts))).toEqual([]);
  });

  it('names test and source files that exist', () => {
    const named = [...text.matchAll(/\b(?:npx vitest run|npx tsx) ([\w./-]+)/g)].map(([, file = '']) => file);
    expect(named.filter(file => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('links to files of this project that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, target = '']) => target);
    expect(links.filter(target => !existsSync(path.join(root, path.dirname(page), target)))).toEqual([]);
  });

  it('links to headings that exist', () => {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\d -]/gu, '')
        .replaceAll(' ', '-'),
    );
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
    expect(links.filter(target => target === undefined || !headings.includes(target))).toEqual([]);
  });
});

it('the first command of the README is npm run demo', () => {
  const first = readFileSync(path.join(root, 'README.md'), 'utf8').split('```sh\n')[1];
  expect(first).toMatch(/^npm run demo\b/);
});
