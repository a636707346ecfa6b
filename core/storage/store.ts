/** The result store, independent of how it stores, and a check that it works. */
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ConfigurationError } from '../runtime/config.ts';
import type { StorageConfig } from './config.ts';
import { openFileStore } from './file-store.ts';

export type Store = Awaited<ReturnType<typeof openFileStore>>;

/** @throws ConfigurationError when a folder should answer downloads itself */
export async function openStore(config: StorageConfig): Promise<Store> {
  const { STORAGE_URL: location, DATA_DIR, RESULT_REDIRECT: redirect } = config;
  if (typeof location === 'object') {
    const { openS3Store } = await import('./s3-store.ts');
    return openS3Store(location, { redirect });
  }
  if (redirect) throw new ConfigurationError('RESULT_REDIRECT needs an s3: STORAGE_URL, such as s3://bucket/results.');
  return await openFileStore(location ?? path.resolve(DATA_DIR, 'results'));
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
