/** Files of a folder that several processes share: they appear whole or not at all. */
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Reading a file makes it young again for the pruner, at most this often. */
const touchAfterMs = 10 * 60_000;

/** What an unfinished file is called until it is renamed. */
export const unfinishedSuffix = '.part';

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes beside and renames. Nothing is flushed: what a power cut leaves behind fails its check when read. */
export async function writeWhole(path: string, ...parts: Uint8Array[]): Promise<void> {
  const unfinished = `${path}.${randomUUID()}${unfinishedSuffix}`;
  try {
    await writeFile(unfinished, parts).catch(async (error: unknown) => {
      // Nearly always the folder is there.
      undefinedIfMissing(error);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(unfinished, parts);
    });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * @param read is given the file and its size in bytes
 * @returns undefined when there is no such file
 */
export async function readTouched<T>(
  path: string,
  read: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(path).catch(undefinedIfMissing);
  if (!file) return undefined;
  try {
    const { mtimeMs, size } = await file.stat();
    const now = new Date();
    if (now.getTime() - mtimeMs > touchAfterMs) await file.utimes(now, now);
    return await read(file, size);
  } finally {
    await file.close();
  }
}

export const wholeFile = (file: FileHandle): Promise<Buffer> => file.readFile();

/** For `catch`: what is not there is no error here, for files may vanish at any time. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
