/**
 * `npm run build`: writes the service as JavaScript to `dist/`, with the files that it reads at run time. The result needs
 * production dependencies only. Types are removed, not checked (`npm run check` does that).
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rootFolder } from '../runtime/discover.ts';

const folders = ['api', 'core', 'workers', 'sandbox', 'templates'];

/** Files that the service does not read at run time. */
const excluded = [
  /\.[cm]?[jt]s$/,
  /^sandbox\/photos\/render\//,
  /^core\/postgres\/migrations\/meta\/\d+_snapshot\.json$/,
  /^core\/cli\//,
];

/** @param out emptied first @returns the number of files copied */
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

/** TypeScript's compiler also rewrites the extensions of relative imports to `.js`. */
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
  if (status !== 0) throw new Error('The TypeScript compiler failed; see its output above.');
}

async function assetsIn(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(rootFolder, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => path.relative(rootFolder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter(file => !excluded.some(rule => rule.test(file)));
}

const out = path.resolve(process.argv[2] ?? path.join(rootFolder, 'dist'));
const assets = await build(out);
process.stdout.write(`Built into ${path.relative(process.cwd(), out)}, with ${assets} files besides the code.\n`);
