/** Files of the service on which other users of the machine have rights. */
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Does not follow links, which have no mode of their own. @returns paths below the folder, each with its mode */
export const openFilesIn = (folder: string): string[] =>
  readdirSync(folder).flatMap(name => {
    const file = path.join(folder, name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink()) return [];
    const own = (stats.mode & 0o077) !== 0 ? [`${file} ${(stats.mode & 0o777).toString(8)}`] : [];
    return stats.isDirectory() ? [...own, ...openFilesIn(file)] : own;
  });
