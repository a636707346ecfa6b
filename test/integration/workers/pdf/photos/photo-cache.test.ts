import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPhotoCache } from '../../../../../workers/pdf/photos/photo-cache.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const root = temporaryFolder();
let caches = 0;
const shape = { widthPx: 90, heightPx: 60 };
const minute = 60_000;

function newFolder(): string {
  caches += 1;
  return join(root, String(caches));
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a kept photo', () => {
  it('is there for another process on the same folder', async () => {
    const folder = newFolder();
    const kept = await openPhotoCache(folder).keep(
      'http://a.example/1.jpg',
      Buffer.from('photo'),
      shape,
      minute,
    );
    const other = openPhotoCache(folder);
    expect(await other.fresh('http://a.example/1.jpg')).toEqual(kept);
    expect(await other.original('http://a.example/1.jpg', kept.hash)).toEqual(Buffer.from('photo'));
    expect(await other.fresh('http://a.example/2.jpg')).toBeUndefined();
  });

  it('is fresh for its time and no longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const cache = openPhotoCache(newFolder());
    const { hash } = await cache.keep('u', Buffer.from('photo'), shape, minute);
    vi.setSystemTime(Date.now() + minute - 1);
    expect(await cache.fresh('u')).toMatchObject({ hash });
    vi.setSystemTime(Date.now() + 1);
    expect(await cache.fresh('u')).toBeUndefined();
  });

  it('whose server forbids keeping it is asked for again next time', async () => {
    const cache = openPhotoCache(newFolder());
    const { hash } = await cache.keep('u', Buffer.from('photo'), shape, 0);
    expect(await cache.fresh('u')).toBeUndefined();
    expect(await cache.original('u', hash)).toEqual(Buffer.from('photo'));
  });
});

it('a URL that gives another photo each time loses none of them to a job that still asks for the one before', async () => {
  const folder = newFolder();
  const before = await openPhotoCache(folder).keep('u', Buffer.from('photo'), shape, 0);
  const now = await openPhotoCache(folder).keep('u', Buffer.from('another'), shape, 0);
  const other = openPhotoCache(folder);
  expect(await other.original('u', before.hash)).toBeUndefined();
  expect(await other.original('u', now.hash)).toEqual(Buffer.from('another'));
});

describe('whatever happens to the files', () => {
  it('deleting any of them makes the photo missing, never wrong', async () => {
    for (const victim of [0, 1]) {
      const folder = newFolder();
      const writer = openPhotoCache(folder);
      const { hash } = await writer.keep('u', Buffer.from('photo'), shape, minute);
      await writer.keepFitted('key', Buffer.from('fitted'));
      const files = (await filesIn(folder)).sort();
      expect(files).toHaveLength(2);
      await rm(files[victim] ?? '');
      const cache = openPhotoCache(folder);
      const found = [await cache.fresh('u'), await cache.original('u', hash), await cache.fitted('key')];
      expect(found.filter(Boolean).length).toBeLessThan(3);
      expect(found[1] ?? Buffer.from('photo')).toEqual(Buffer.from('photo'));
      if (!found[1]) expect(found[0]).toBeUndefined();
    }
  });

  it('damaging or cutting any of them makes the photo missing, never wrong', async () => {
    const folder = newFolder();
    const writer = openPhotoCache(folder);
    const { hash } = await writer.keep('u', Buffer.from('photo'), shape, minute);
    await writer.keepFitted('key', Buffer.from('fitted'));
    for (const file of await filesIn(folder)) await writeFile(file, (await readFile(file)).subarray(0, -1));
    const cache = openPhotoCache(folder);
    expect([await cache.original('u', hash), await cache.fresh('u'), await cache.fitted('key')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await cache.keep('u', Buffer.from('photo'), shape, minute);
    expect(await cache.fresh('u')).toMatchObject({ hash });
  });

  it('two processes may keep the same photo at once', async () => {
    const folder = newFolder();
    const both = [openPhotoCache(folder), openPhotoCache(folder)];
    const bytes = Buffer.alloc(200_000, 'x');
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, index) => both[index % 2]?.keep('u', bytes, shape, minute)),
    );
    expect(new Set(kept.map(photo => photo?.hash)).size).toBe(1);
    expect(await openPhotoCache(folder).original('u', kept[0]?.hash ?? '')).toEqual(bytes);
    expect(await filesIn(folder)).toHaveLength(1);
  });
});

describe('the size of the folder', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * minute);

  /** Keeps a photo as if it had last been read so many hours ago. */
  async function keepSince(hours: number, folder: string, bytes: number) {
    const url = `http://a.example/${hours}.jpg`;
    const { hash } = await openPhotoCache(folder).keep(url, Buffer.alloc(bytes, hours), shape, 0);
    const name = createHash('sha256').update(url).digest('hex');
    await utimes(join(folder, 'originals', name.slice(0, 2), name), hoursAgo(hours), hoursAgo(hours));
    return { url, hash };
  }

  const isLeft = async (folder: string, photos: readonly { url: string; hash: string }[]) => {
    const other = openPhotoCache(folder);
    const left = await Promise.all(photos.map(({ url, hash }) => other.original(url, hash)));
    return left.map(bytes => bytes !== undefined);
  };

  it('is kept by giving up what was read longest ago', async () => {
    const folder = newFolder();
    const photos = [];
    for (const hours of [5, 4, 3, 2]) photos.push(await keepSince(hours, folder, 3_000));
    await openPhotoCache(folder).original(photos[0]?.url ?? '', photos[0]?.hash ?? '');
    await openPhotoCache(folder, { maxBytes: 12_500 }).keep('u', Buffer.alloc(3_000, 1), shape, 0);
    expect(await isLeft(folder, photos)).toEqual([true, false, false, true]);
  });

  it('never costs a photo of the last hour, which a job may still need', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxBytes: 1_000 });
    const photos = [];
    for (const fill of [1, 2, 3]) {
      const url = `http://a.example/${fill}.jpg`;
      photos.push({ url, hash: (await cache.keep(url, Buffer.alloc(900, fill), shape, 0)).hash });
    }
    expect(await isLeft(folder, photos)).toEqual([true, true, true]);
  });

  it('is not used up by photos that nobody has printed for longer than is set', async () => {
    const folder = newFolder();
    const photos = [];
    for (const hours of [25, 23]) photos.push(await keepSince(hours, folder, 300));
    await openPhotoCache(folder, { maxAgeMs: 24 * 60 * minute }).prune();
    expect(await isLeft(folder, photos)).toEqual([false, true]);
  });

  it('is looked at again before a process could have filled it', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxBytes: 30_000 });
    await cache.keep('u', Buffer.alloc(1_000, 1), shape, 0);
    const photos = [];
    for (const hours of [9, 8, 7, 6, 5, 4, 3, 2]) photos.push(await keepSince(hours, folder, 3_000));
    for (const fill of [1, 2, 3, 4]) await cache.keep(`u${fill}`, Buffer.alloc(3_000, fill), shape, 0);
    const left = await isLeft(folder, photos);
    expect(left[0]).toBe(false);
    expect(left.at(-1)).toBe(true);
  });

  it('is not used up by files that a killed process left unfinished', async () => {
    const folder = newFolder();
    const abandoned = join(folder, 'originals', 'ab', 'abc.part');
    await mkdir(join(folder, 'originals', 'ab'), { recursive: true });
    await writeFile(abandoned, 'half');
    await utimes(abandoned, hoursAgo(2), hoursAgo(2));
    await openPhotoCache(folder).keep('u', Buffer.from('photo'), shape, 0);
    await expect(stat(abandoned)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
