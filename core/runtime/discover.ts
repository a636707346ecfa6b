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
 * Loads the modules in the subfolders of a folder, in alphabetical order.
 * @param folder from the root, or absolute
 * @param name absent: all modules
 */
export async function loadFromFolders(
  folder: string,
  name?: string,
  isWanted: (subfolder: string) => boolean = () => true,
): Promise<FoundModule[]> {
  const found: FoundModule[] = [];
  for (const subfolder of (await foldersIn(folder)).filter(isWanted)) {
    for (const file of await sourcesIn(path.join(folder, subfolder))) {
      if (name === undefined || path.parse(file).name === name)
        found.push(await load(path.join(folder, subfolder, file), subfolder));
    }
  }
  return found;
}

/** Whether a module's export has these members. */
export const hasMembers = (value: unknown, ...names: string[]): value is object =>
  typeof value === 'object' && value !== null && names.every(name => name in value);

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
  const { default: exported }: { default?: unknown } = await import(pathToFileURL(path.resolve(rootFolder, file)).href);
  return { file, folder, exported };
}
