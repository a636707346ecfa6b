/** Opens the store that the configuration names. */
import { resolve } from 'node:path';
import type { StorageConfig } from './config.ts';
import { openFileStore } from './file-store.ts';
import type { Store } from './store.ts';

export async function openStore(config: StorageConfig): Promise<Store> {
  return await openFileStore(config.STORAGE_URL ?? resolve(config.DATA_DIR, 'results'));
}
