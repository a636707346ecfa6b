/** Stored brochures are reused, except shortly before they may be deleted. */
import { Readable } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openFileStore } from '../../../../core/storage/file-store.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { findBrochure, newPdfKey, recordBrochure } from '../../../../workers/pdf/brochure-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const pdf = Buffer.from('%PDF-1.7');
const properties = { pages: 1, fits: [], printedPhotos: 0 };
const retentionHours = 24;
let results: Store;

beforeAll(async () => {
  results = await openFileStore(temporaryFolder());
});
afterEach(() => {
  vi.useRealTimers();
});

async function store(fingerprint: string) {
  const key = newPdfKey(fingerprint);
  const { size: bytes, sha256 } = await results.put(key, Readable.from([pdf]), { contentType: 'application/pdf' });
  return await recordBrochure(results, fingerprint, { ...properties, key, bytes, sha256 });
}
const find = (fingerprint: string) => findBrochure(results, fingerprint, retentionHours);

describe('a stored brochure', () => {
  it('is found by its fingerprint, with its properties', async () => {
    const stored = await store('aa01');
    expect(await find('aa01')).toEqual(stored);
    expect(await find('aa02')).toBeUndefined();
  });

  it('is not reused shortly before its first job expires', async () => {
    const stored = await store('bb01');
    const madeAt = stored.madeAt.getTime();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(madeAt + 23.5 * 3_600_000);
    expect(await find('bb01')).toBeDefined();
    vi.setSystemTime(madeAt + 23.9 * 3_600_000);
    expect(await find('bb01')).toBeUndefined();
  });

  it('survives the deletion of an older copy', async () => {
    const older = await store('cc01');
    const newer = await store('cc01');
    expect(newer.sha256).toBe(older.sha256);
    await results.delete(older.key);
    expect((await find('cc01'))?.key).toBe(newer.key);
  });

  it('is not found when its file was deleted or its record is of another version of the service', async () => {
    const stored = await store('dd01');
    await results.delete(stored.key);
    expect(await find('dd01')).toBeUndefined();
    await results.put(stored.recordKey, Buffer.from('{"key":"old"}'), { contentType: 'application/json' });
    expect(await find('dd01')).toBeUndefined();
  });
});
