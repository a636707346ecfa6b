/**
 * `npm run build`: the service as plain JavaScript in `dist/`, with the files it reads at run time. It needs the production
 * dependencies and nothing else. The types were checked before (`npm run check`); here they are only cut out.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rootFolder } from '../runtime/discover.ts';

const folders = ['api', 'core', 'workers', 'sandbox', 'templates'];

/** What the service never reads: code, what makes the sandbox's photos, drizzle-kit's own notes, the demo's listings. */
const leftOut = [
  /\.[cm]?[jt]s$/,
  /^sandbox\/photos\/render\//,
  /^core\/db\/migrations\/meta\/\d+_snapshot\.json$/,
  /^core\/launch\//,
];

/** @param out emptied first, so that nothing of a former build lives on */
async function build(out: string): Promise<number> {
  await rm(out, { recursive: true, force: true });
  compile(out);
  const assets = (await Promise.all(folders.map(assetsIn))).flat();
  for (const file of assets) {
    const target = path.join(out, file);
    await mkdir(path.dirname(target), { recursive: true });
    await cp(path.join(rootFolder, file), target);
  }
  return assets.length;
}

/** By TypeScript's own compiler, which also turns the endings of relative imports into `.js`. */
function compile(out: string): void {
  const compiler = path.join(
    path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const { status, error } = spawnSync(
    process.execPath,
    [compiler, '-p', path.join(rootFolder, 'tsconfig.build.json'), '--outDir', out],
    { stdio: 'inherit' },
  );
  if (error) throw error;
  if (status !== 0) throw new Error('TypeScript could not write the JavaScript.');
}

async function assetsIn(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(rootFolder, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => path.relative(rootFolder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter(file => !leftOut.some(rule => rule.test(file)));
}

const out = path.resolve(process.argv[2] ?? path.join(rootFolder, 'dist'));
const assets = await build(out);
process.stdout.write(
  `Built into ${path.relative(process.cwd(), out)}, with ${assets} files beside the code.\n`,
);
