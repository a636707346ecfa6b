/** Keeps the files of the service from other users of the machine: they have personal data, secrets and results. */
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { undefinedIfMissing } from './error-code.ts';

export const isRoot = (): boolean => process.getuid?.() === 0;

/** What this process and its children create from now on is readable by their user only. */
export const createPrivateFiles = (): void => void process.umask(0o077);

/** As root, the account of the embedded PostgreSQL enters its own folder through the data folder, which it cannot list. */
const dataFolderMode = (): number => (isRoot() ? 0o711 : 0o700);

/** Creates the data folder. Takes the rights of other users from one that exists, and from what is directly in it. */
export async function prepareDataFolder(folder: string): Promise<void> {
  await createDataFolder(folder);
  for (const { file, mode } of await openToOthers(folder)) await chmod(file, mode);
}

/** Leaves one that exists as it is. */
export async function createDataFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first !== undefined)
    for (let made = folder; made.length >= first.length; made = path.dirname(made)) await chmod(made, dataFolderMode());
}

/** Creates a folder that only its user can enter, or makes an existing one so. */
export async function preparePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (isOpen(await lstat(folder))) await chmod(folder, 0o700);
}

/** The data folder and what is directly in it, where other users have rights, each with the mode that it should have. */
export async function openToOthers(folder: string): Promise<{ file: string; mode: number }[]> {
  const found = await lstat(folder).catch(undefinedIfMissing);
  if (!found) return [];
  const itself = isOpen(found, dataFolderMode()) ? [{ file: folder, mode: dataFolderMode() }] : [];
  const inside = (await readdir(folder)).map(async name => {
    const file = path.join(folder, name);
    const stats = await lstat(file).catch(undefinedIfMissing);
    return stats && isOpen(stats) ? [{ file, mode: stats.mode & 0o700 }] : [];
  });
  return [...itself, ...(await Promise.all(inside)).flat()];
}

/** Whether others have more rights than allowed. A link has no mode of its own; only the owner of a file changes its mode. */
const isOpen = (stats: Stats, allowed = 0o700): boolean =>
  stats.uid === process.getuid?.() && !stats.isSymbolicLink() && (stats.mode & 0o077 & ~allowed) !== 0;
