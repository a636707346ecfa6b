import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openFileStore } from '../../../../core/storage/file-store.ts';
import { probeStore, type Store } from '../../../../core/storage/store.ts';
import { storedBefore } from '../../../support/stored-before.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the check of the result store', () => {
  const openStore = () => openFileStore(join(temporaryFolder(), 'results'));

  it('writes, reads and deletes an object of 100,000 bytes', async () => {
    const store = await openStore();
    const calls: string[] = [];
    const put: Store['put'] = async (key, content, type) => {
      calls.push(`put ${key} ${type.contentType} ${content instanceof Uint8Array ? content.length : 'stream'}`);
      return await store.put(key, content, type);
    };
    await probeStore({ ...store, put });
    expect(calls).toEqual([expect.stringMatching(/^put doctor\/[0-9a-f-]{36} text\/plain 100000$/)]);
    expect(await storedBefore(store, new Date(Date.now() + 60_000))).toEqual([]);
  });

  it('fails when other bytes are read than were written, and deletes them', async () => {
    const store = await openStore();
    const open: Store['open'] = async key => ({ ...(await store.open(key)), stream: Readable.from(['other bytes']) });
    await expect(probeStore({ ...store, open })).rejects.toThrow('it returns other bytes than were written');
    expect(await storedBefore(store, new Date(Date.now() + 60_000))).toEqual([]);
  });
});
