/** Finds the modules that make up the service by their place: contracts, handlers, operations. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder that holds `api`, `workers`, `core`: the checkout, or the build's output. */
export const rootFolder = path.resolve(import.meta.dirname, '../..');

export interface FoundModule {
  /** The path from the root, for messages. */
  file: string;
  folder: string;
  exported: unknown;
}

/**
 * Loads `<name>` of every subfolder that has it; sorted, so that every process sees the same order.
 * @param folder from the root, or absolute
 * @param isWanted the subfolders that are looked into; all unless given
 */
export async function loadFromFolders(
  folder: string,
  name: string,
  isWanted: (subfolder: string) => boolean = () => true,
): Promise<FoundModule[]> {
  const found: FoundModule[] = [];
  for (const subfolder of (await foldersIn(folder)).filter(isWanted)) {
    for (const file of await sourcesIn(path.join(folder, subfolder))) {
      if (path.parse(file).name === name)
        found.push(await load(path.join(folder, subfolder, file), subfolder));
    }
  }
  return found;
}

/** Loads every module in the subfolders of a folder. */
export async function loadAllFromFolders(folder: string): Promise<FoundModule[]> {
  const found: FoundModule[] = [];
  for (const subfolder of await foldersIn(folder)) {
    for (const file of await sourcesIn(path.join(folder, subfolder))) {
      found.push(await load(path.join(folder, subfolder, file), subfolder));
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
