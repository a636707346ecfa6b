/** Keeps a folder within a size and an age: what was not read for longest goes first, what is in use stays. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing, unfinishedSuffix } from './sealed-file.ts';

/** Longer than any job works, so that no job loses a photo between fetching and fitting. */
const keepMs = 60 * 60_000;

/** Pruning goes a fifth below the bound, so that the next photo does not prune again. */
const goal = 0.8;

interface FoundFile {
  path: string;
  size: number;
  ageMs: number;
}

export interface FolderBounds {
  maxBytes: number;
  /** Files that were not read for longer go, however little room they take. */
  maxAgeMs: number;
}

/**
 * Files younger than an hour stay even above `maxBytes`. Safe beside other processes that read, write or prune.
 * @returns how many bytes are left
 */
export async function pruneFolder(folder: string, { maxBytes, maxAgeMs }: FolderBounds): Promise<number> {
  const files = await filesOf(folder);
  let total = files.reduce((sum, file) => sum + file.size, 0);
  const removable = files.filter(file => file.ageMs > keepMs).sort((a, b) => b.ageMs - a.ageMs);
  const mustShrink = total > maxBytes;
  for (const file of removable) {
    const abandoned = file.path.endsWith(unfinishedSuffix) || file.ageMs > maxAgeMs;
    if (!abandoned && !(mustShrink && total > maxBytes * goal)) continue;
    await rm(file.path, { force: true });
    total -= file.size;
  }
  return total;
}

async function filesOf(folder: string): Promise<FoundFile[]> {
  const entries =
    (await readdir(folder, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing)) ?? [];
  const now = Date.now();
  const files: FoundFile[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(undefinedIfMissing);
    if (found) files.push({ path, size: found.size, ageMs: now - found.mtimeMs });
  }
  return files;
}
