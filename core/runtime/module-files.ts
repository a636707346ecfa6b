/**
 * Finds modules by their place in the folder tree. `npm run build` replaces this file by lists of the same modules, which it
 * generates with these functions (build.ts).
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The checkout. */
const root = path.resolve(import.meta.dirname, '../..');

export interface ModuleFile {
  /** Path from the root. */
  file: string;
  /** The subfolder with the module. */
  folder: string;
  load(): Promise<object>;
}

/**
 * The modules in the subfolders of a folder, in alphabetical order.
 * @param folder from the root, or absolute
 * @param name absent: all modules
 */
export async function modulesIn(folder: string, name?: string): Promise<ModuleFile[]> {
  const entries = await readdir(path.resolve(root, folder), { withFileTypes: true });
  const subfolders = entries.filter(entry => entry.isDirectory()).map(entry => path.join(folder, entry.name));
  const files = await Promise.all(subfolders.sort().map(subfolder => sourcesIn(subfolder)));
  return files
    .flat()
    .filter(file => name === undefined || path.parse(file).name === name)
    .map(moduleFile);
}

/** The modules in `api`, `core` and `workers` that declare variables: they export them as `<Part>Config`. */
export async function configModules(): Promise<ModuleFile[]> {
  const files = await Promise.all(['api', 'core', 'workers'].map(folder => sourcesIn(folder, true)));
  const texts = files.flat().map(async file => ({ file, text: await readFile(path.join(root, file), 'utf8') }));
  const declaring = (await Promise.all(texts)).filter(({ text }) => /^export const \w+Config = /m.test(text));
  return declaring.map(({ file }) => moduleFile(file));
}

/** sha256 of the source code in these folders; in the build, of the whole source code. */
export async function sourceHash(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders)
    for (const file of await sourcesIn(folder, true)) hash.update(await readFile(path.join(root, file)));
  return hash.digest('hex');
}

async function sourcesIn(folder: string, recursive = false): Promise<string[]> {
  const files = await readdir(path.resolve(root, folder), { recursive });
  return files
    .filter(file => /\.[tj]s$/.test(file))
    .sort()
    .map(file => path.join(folder, file));
}

const moduleFile = (file: string): ModuleFile => ({
  file,
  folder: path.basename(path.dirname(file)),
  load: () => import(pathToFileURL(path.resolve(root, file)).href),
});
