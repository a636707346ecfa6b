/** The result store, independent of how it stores, and a check that it works. */
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { StorageConfig } from './config.ts';
import { openFileStore } from './file-store.ts';

export type Store = Awaited<ReturnType<typeof openFileStore>>;

export async function openStore({ STORAGE_URL: location, DATA_DIR }: StorageConfig): Promise<Store> {
  if (typeof location !== 'object') return await openFileStore(location ?? path.resolve(DATA_DIR, 'results'));
  const { openS3Store } = await import('./s3-store.ts');
  return openS3Store(location);
}

/** As large as a preview. */
const probeBytes = 100_000;

/** Writes, reads and deletes an object. @throws errors of the disk; Error when other bytes were read */
export async function probeStore(results: Store): Promise<void> {
  const key = `doctor/${randomUUID()}`;
  const written = randomBytes(probeBytes);
  await results.put(key, written, { contentType: 'text/plain' });
  const stored = await buffer((await results.open(key)).stream);
  await results.delete(key);
  if (!stored.equals(written)) throw new Error('it returns other bytes than were written');
}
