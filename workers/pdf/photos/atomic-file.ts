/** Files in a folder that several processes share: written atomically, pruned by size and age. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { undefinedIfMissing } from '../../../core/runtime/error-code.ts';

/** Reading a file updates its modification time, which `pruneFolder` goes by, at most this often. */
const touchAfterMs = 10 * 60_000;

/** The ending of the names of files that are not completely written yet. */
const partialSuffix = '.part';

/** Longer than any job runs, so that no job loses a photo between fetching and cropping. */
const minAgeMs = 60 * 60_000;

/** Free space for the database and for results: this share of the disk, and at most this many bytes. */
const [reservedShare, maxReservedBytes] = [0.1, 1_000_000_000];

/** Pruning goes down to this share of `maxBytes`, so that the next photo does not prune again. */
const pruneTo = 0.8;

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a temporary file and renames it. Without fsync: the hash check on read detects what a power cut damaged. */
export async function writeAtomically(path: string, ...parts: Uint8Array[]): Promise<void> {
  const partial = `${path}.${randomUUID()}${partialSuffix}`;
  try {
    await writeFile(partial, parts).catch(async (error: unknown) => {
      // The folder is rarely missing.
      undefinedIfMissing(error);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(partial, parts);
    });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** @returns undefined when the file does not exist */
export async function readAndTouch(path: string): Promise<Buffer | undefined> {
  const file = await open(path).catch(undefinedIfMissing);
  if (!file) return undefined;
  try {
    const { mtimeMs } = await file.stat();
    const now = new Date();
    if (now.getTime() - mtimeMs > touchAfterMs) await file.utimes(now, now);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Deletes files above `maxBytes` in the order of their last read, and all that were last read `maxAgeMs` ago. Keeps files
 * younger than an hour, unless the disk is nearly full. Safe while other processes read, write or prune.
 * @returns the bytes left
 */
export async function pruneFolder(
  folder: string,
  { maxBytes, maxAgeMs }: { maxBytes: number; maxAgeMs: number },
): Promise<number> {
  const files = await filesOf(folder);
  let total = files.reduce((sum, file) => sum + file.size, 0);
  const lackingBytes = files.length === 0 ? 0 : await bytesToReserve(folder);
  const limit = Math.min(maxBytes, total - lackingBytes);
  const removable = files.filter(file => lackingBytes > 0 || file.ageMs > minAgeMs).sort((a, b) => b.ageMs - a.ageMs);
  const isOverLimit = total > limit;
  for (const file of removable) {
    const isExpired = file.ageMs > minAgeMs && (file.path.endsWith(partialSuffix) || file.ageMs > maxAgeMs);
    if (!isExpired && !(isOverLimit && total > limit * pruneTo)) continue;
    await rm(file.path, { force: true });
    total -= file.size;
  }
  return total;
}

/** @returns the bytes to free on the disk of the folder; 0 unless it is nearly full */
async function bytesToReserve(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return Math.max(0, Math.min(blocks * bsize * reservedShare, maxReservedBytes) - bavail * bsize);
}

/** Files may disappear at any time. */
async function filesOf(folder: string) {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing)) ?? [];
  const now = Date.now();
  const files: { path: string; size: number; ageMs: number }[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(undefinedIfMissing);
    if (found) files.push({ path, size: found.size, ageMs: now - found.mtimeMs });
  }
  return files;
}
