/** What only Node.js can do: save a result as a file. */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { type Download, differs } from './download.ts';

/**
 * Under its name the file is there whole or not at all.
 * @returns its length in bytes
 * @throws DamagedDownload when its length or its SHA-256 is not what the service told
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
    if (sha256 !== undefined && hash.digest('hex') !== sha256) throw differs();
    await rename(part, file);
    return length;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
