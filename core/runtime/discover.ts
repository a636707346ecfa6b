/** Loads contracts, handlers and operations by their place in the folder tree. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder of `api`, `workers` and `core`: the checkout, or the build's output. */
export const rootFolder = path.resolve(import.meta.dirname, '../..');

export interface FoundModule {
  /** Path from the root, for error messages. */
  file: string;
  folder: string;
  exported: unknown;
}

/**
 * Loads the module `name` of every subfolder that has it, in alphabetical order.
 * @param folder from the root, or absolute
 */
export async function loadFromFolders(
  folder: string,
  name: string,
  isWanted: (subfolder: string) => boolean = () => true,
): Promise<FoundModule[]> {
  return await loadModules(
    folder,
    (subfolder, file) => isWanted(subfolder) && path.parse(file).name === name,
  );
}

/** Loads every module in the subfolders of a folder. */
export const loadAllFromFolders = (folder: string): Promise<FoundModule[]> => loadModules(folder, () => true);

async function loadModules(
  folder: string,
  isWanted: (subfolder: string, file: string) => boolean,
): Promise<FoundModule[]> {
  const found: FoundModule[] = [];
  for (const subfolder of await foldersIn(folder)) {
    for (const file of await sourcesIn(path.join(folder, subfolder))) {
      if (isWanted(subfolder, file)) found.push(await load(path.join(folder, subfolder, file), subfolder));
    }
  }
  return found;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(path.resolve(rootFolder, folder), { withFileTypes: true });
  return entries
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort();
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.resolve(rootFolder, folder));
  return names.filter(name => /\.[tj]s$/.test(name) && !name.endsWith('.d.ts')).sort();
}

async function load(file: string, folder: string): Promise<FoundModule> {
  const module: unknown = await import(pathToFileURL(path.resolve(rootFolder, file)).href);
  const exported =
    typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  return { file, folder, exported };
}
