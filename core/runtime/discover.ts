/** Loads contracts, handlers and operations by their place in the folder tree. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ModuleFile, modulesIn } from './module-files.ts';

/** The folder of `api`, `workers` and `core`: the checkout, or the build's output, where this is in `core/chunks/`. */
export const rootFolder = path.resolve(import.meta.dirname, '../..');
export const templateFolder = pathToFileURL(path.join(rootFolder, 'templates/'));

export interface FoundModule extends Pick<ModuleFile, 'file' | 'folder'> {
  /** Its default export. */
  exported: unknown;
}

/** Loads the modules in the subfolders of a folder, in alphabetical order. @param name absent: all modules */
export async function loadFromFolders(
  folder: string,
  name?: string,
  isWanted: (subfolder: string) => boolean = () => true,
): Promise<FoundModule[]> {
  const wanted = (await modulesIn(folder, name)).filter(module => isWanted(module.folder));
  return await Promise.all(
    wanted.map(async ({ file, folder, load }) => {
      const { default: exported }: { default?: unknown } = await load();
      return { file, folder, exported };
    }),
  );
}

/** Whether a module's export has these members. */
export const hasMembers = (value: unknown, ...names: string[]): value is object =>
  typeof value === 'object' && value !== null && names.every(name => name in value);
