/** The README and the docs name existing scripts, files and headings only. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const docs = readdirSync(path.join(root, 'docs')).filter(name => name.endsWith('.md'));
const files = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', 'client/README.md', 'bench/README.md'];
const pages = [...files, ...docs.map(name => `docs/${name}`)];
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\d_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', page => {
  const text = readFileSync(path.join(root, page), 'utf8');

  it('names existing npm scripts only', () => {
    const named = [...text.matchAll(/\bnpm (?:run )?(?!ci\b|install\b|run\b)([a-z][a-z0-9:-]*)/g)].map(
      ([, name]) => name,
    );
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

  it('links to headings that exist, also on other pages', () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#]*\.md)?#([^)]+)\)/g)];
    const broken = links.filter(([, target, heading = '']) => {
      const file = target === undefined ? page : path.join(path.dirname(page), target);
      return !headingsOf(file).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

it('the README has at most 100 lines', () =>
  expect(readFileSync(path.join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(101));

it('the first command of the README is npm run demo', () => {
  const first = readFileSync(path.join(root, 'README.md'), 'utf8').split('```sh\n')[1];
  expect(first).toMatch(/^npm run demo\b/);
});
