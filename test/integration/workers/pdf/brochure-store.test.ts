/** Finished brochures are used again, but never so late that they could be deleted under the job that takes them. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openFileStore } from '../../../../core/storage/file-store.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { findBrochure, storeBrochure } from '../../../../workers/pdf/brochure-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const pdf = Buffer.from('%PDF-1.7');
const told = { pages: 1, fits: [], printedPhotos: 0 };
const keptHours = 24;
let results: Store;

beforeAll(async () => {
  results = await openFileStore(temporaryFolder());
});
afterEach(() => {
  vi.useRealTimers();
});

const keep = (fingerprint: string) =>
  storeBrochure(results, fingerprint, [pdf.subarray(0, 4), pdf.subarray(4)], told);
const find = (fingerprint: string) => findBrochure(results, fingerprint, keptHours);

describe('a finished brochure', () => {
  it('is found by its fingerprint, with all that is known about it', async () => {
    const kept = await keep('aa01');
    expect(await find('aa01')).toEqual(kept);
    expect(await find('aa02')).toBeUndefined();
  });

  it('is no longer used a while before the first of its jobs expires', async () => {
    const kept = await keep('bb01');
    const madeAt = kept.madeAt.getTime();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(madeAt + 23.5 * 3_600_000);
    expect(await find('bb01')).toBeDefined();
    vi.setSystemTime(madeAt + 23.9 * 3_600_000);
    expect(await find('bb01')).toBeUndefined();
  });

  it('that is made again does not lie where the older one is deleted', async () => {
    const older = await keep('cc01');
    const newer = await keep('cc01');
    expect(newer.sha256).toBe(older.sha256);
    await results.delete(older.key);
    expect((await find('cc01'))?.key).toBe(newer.key);
  });

  it('is none when its file is gone, or its record is of another version of the service', async () => {
    const kept = await keep('dd01');
    await results.delete(kept.key);
    expect(await find('dd01')).toBeUndefined();
    await results.put(kept.recordKey, Buffer.from('{"key":"old"}'), { contentType: 'application/json' });
    expect(await find('dd01')).toBeUndefined();
  });
});
