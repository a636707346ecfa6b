/** The part for Node.js: saves a result as a file. */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { type Download, digestMismatch } from './download.ts';

/**
 * Writes to `<file>.part` and renames it when complete, so the file is never partial.
 * @returns its length in bytes
 * @throws DamagedDownload when the length or SHA-256 differs from the service's
 */
export async function saveTo(file: string, { body, sha256 }: Download): Promise<number> {
  const part = `${file}.part`;
  const hash = createHash('sha256');
  const handle = await open(part, 'w');
  let length = 0;
  try {
    try {
      for await (const chunk of body) {
        hash.update(chunk);
        length += chunk.byteLength;
        await handle.writeFile(chunk);
      }
    } finally {
      await handle.close();
    }
    if (sha256 !== undefined && hash.digest('hex') !== sha256) throw digestMismatch();
    await rename(part, file);
    return length;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
