import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPhotoCache, type PhotoCache, type PhotoOfUrl } from '../../../../../workers/pdf/photos/photo-cache.ts';
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

const url = 'http://a.example/1.jpg';
const bytes = Buffer.from('photo');

/** Stores a photo and one crop of it, as a job does. */
async function storeAndCrop(cache: PhotoCache, from = url, content = Buffer.from('crop')) {
  const photo = { url: from, ...(await cache.store(from, bytes, shape, minute)) };
  await cache.storeCrop(photo, 'grid', content);
  return photo;
}

describe('records in memory', () => {
  /** The URLs of `a`, `b` and `c` whose crops the cache has although its folder was deleted. */
  async function urlsInMemory(cache: PhotoCache, folder: string): Promise<string[]> {
    await rm(folder, { recursive: true });
    const photo = { hash: createHash('sha256').update(bytes).digest('hex'), freshUntil: 0, ...shape };
    const found = ['a', 'b', 'c'].map(async from => [from, await cache.findCrop({ ...photo, url: from }, 'grid')]);
    return (await Promise.all(found)).flatMap(([from, crop]) => (crop ? String(from) : []));
  }

  it('are those used last, within the limit in bytes', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxMemoryBytes: 1_200 });
    await storeAndCrop(cache, 'a');
    await storeAndCrop(cache, 'b');
    await cache.findFresh('a');
    await storeAndCrop(cache, 'c');
    expect(await urlsInMemory(cache, folder)).toEqual(['a', 'c']);
  });

  it('count once after they are replaced, and never exceed the limit', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxMemoryBytes: 1_200 });
    await storeAndCrop(cache, 'a');
    await storeAndCrop(cache, 'a');
    await storeAndCrop(cache, 'b');
    await storeAndCrop(cache, 'c', Buffer.alloc(1_200));
    expect(await urlsInMemory(cache, folder)).not.toContain('c');
    await storeAndCrop(cache, 'a');
    await storeAndCrop(cache, 'b');
    expect(await urlsInMemory(cache, folder)).toEqual(['a', 'b']);
  });
});

describe('a stored photo', () => {
  it('is available until it is cropped, and its crop also to another process with the same folder', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder);
    const stored = await cache.store(url, bytes, shape, minute);
    expect(await cache.findFresh(url)).toEqual(stored);
    expect(await cache.readOriginal(stored.hash)).toEqual(bytes);
    await cache.storeCrop({ url, ...stored }, 'grid', Buffer.from('crop'));
    const other = openPhotoCache(folder);
    expect(await other.findFresh(url)).toEqual(stored);
    expect(await other.findCrop({ url, ...stored }, 'grid')).toMatchObject({ content: Buffer.from('crop') });
    expect(await other.findCrop({ url, ...stored }, 'hero')).toBeUndefined();
    expect(await other.readOriginal(stored.hash)).toBeUndefined();
    expect(await other.findFresh('http://a.example/2.jpg')).toBeUndefined();
  });

  it('has a crop for each slot, in one file', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder);
    const photo = await storeAndCrop(cache);
    await cache.storeCrop(photo, 'hero', Buffer.from('large'));
    expect(await filesIn(folder)).toHaveLength(1);
    const other = openPhotoCache(folder);
    expect((await other.findCrop(photo, 'grid'))?.content.toString()).toBe('crop');
    expect((await other.findCrop(photo, 'hero'))?.content.toString()).toBe('large');
  });

  it('keeps only its newest crops', async () => {
    const cache = openPhotoCache(newFolder());
    const photo = await storeAndCrop(cache);
    const keys = ['1', '2', '3', '4', '5', '6', '7', '8'];
    for (const key of keys) await cache.storeCrop(photo, key, Buffer.from(key));
    const stored = await Promise.all(['grid', ...keys].map(key => cache.findCrop(photo, key)));
    expect(stored.map(crop => crop?.content.toString())).toEqual([undefined, ...keys]);
  });

  it('is fresh for the given time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const cache = openPhotoCache(newFolder());
    const { hash } = await cache.store(url, bytes, shape, minute);
    vi.setSystemTime(Date.now() + minute - 1);
    expect(await cache.findFresh(url)).toMatchObject({ hash });
    vi.setSystemTime(Date.now() + 1);
    expect(await cache.findFresh(url)).toBeUndefined();
  });

  it('is not fresh when its server forbids caching', async () => {
    const cache = openPhotoCache(newFolder());
    const { hash } = await cache.store(url, bytes, shape, 0);
    expect(await cache.findFresh(url)).toBeUndefined();
    expect(await cache.readOriginal(hash)).toEqual(bytes);
  });

  it('keeps its crops and is fresh again when the URL still returns it later', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder);
    const first = { url, ...(await cache.store(url, bytes, shape, 0)) };
    await cache.storeCrop(first, 'grid', Buffer.from('crop'));
    const again = { url, ...(await openPhotoCache(folder).store(url, bytes, shape, minute)) };
    const other = openPhotoCache(folder);
    expect(await other.findFresh(url)).toMatchObject({ hash: first.hash });
    expect((await other.findCrop(again, 'grid'))?.content.toString()).toBe('crop');
  });
});

it('a URL that returns another photo each time never returns a crop of the wrong one', async () => {
  const cache = openPhotoCache(newFolder());
  const before = { url, ...(await cache.store(url, bytes, shape, 0)) };
  const now = { url, ...(await cache.store(url, Buffer.from('another'), shape, 0)) };
  expect(await cache.readOriginal(before.hash)).toEqual(bytes);
  expect((await cache.storeCrop(before, 'grid', Buffer.from('crop'))).content.toString()).toBe('crop');
  await cache.storeCrop(now, 'grid', Buffer.from('another crop'));
  expect(await cache.findCrop(before, 'grid')).toBeUndefined();
  expect((await cache.findCrop(now, 'grid'))?.content.toString()).toBe('another crop');
});

describe('originals without room in memory', () => {
  it('are stored on disk', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxOriginalBytes: 6 });
    const others = ['other', 'third'].map(text => Buffer.from(text));
    const stored = [await cache.store(url, bytes, shape, minute)];
    for (const [index, other] of others.entries())
      stored.push(await cache.store(`http://a.example/${index + 2}.jpg`, other, shape, minute));
    expect(await filesIn(folder)).toHaveLength(2);
    const originals = await Promise.all(stored.map(({ hash }) => cache.readOriginal(hash)));
    expect(originals).toEqual([bytes, ...others]);
  });

  it('are missing when their file is damaged', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxOriginalBytes: 1 });
    const { hash } = await cache.store(url, bytes, shape, minute);
    for (const file of await filesIn(folder)) await writeFile(file, 'other');
    expect(await cache.readOriginal(hash)).toBeUndefined();
  });
});

describe('a file of the cache', () => {
  it('that was deleted is a cache miss', async () => {
    const folder = newFolder();
    const photo = await storeAndCrop(openPhotoCache(folder));
    for (const file of await filesIn(folder)) await rm(file);
    const other = openPhotoCache(folder);
    expect([await other.findFresh(url), await other.findCrop(photo, 'grid')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['truncated', (file: Buffer) => file.subarray(0, -1)],
    ['extended', (file: Buffer) => Buffer.concat([file, Buffer.from('x')])],
    ['emptied', () => Buffer.alloc(0)],
    ['overwritten', (file: Buffer) => Buffer.from(file).fill('x', file.length - 2)],
    ['replaced', () => Buffer.from('<html>\n</html>')],
  ])('that was %s is a cache miss', async (_way, damage) => {
    const folder = newFolder();
    const photo = await storeAndCrop(openPhotoCache(folder));
    for (const file of await filesIn(folder)) await writeFile(file, damage(await readFile(file)));
    const other = openPhotoCache(folder);
    expect([await other.findFresh(url), await other.findCrop(photo, 'grid')]).toEqual([undefined, undefined]);
    await storeAndCrop(other);
    expect(await openPhotoCache(folder).findFresh(url)).toMatchObject({ hash: photo.hash });
  });

  it('may be written by two processes at once', async () => {
    const folder = newFolder();
    const both = [openPhotoCache(folder), openPhotoCache(folder)] as const;
    const content = Buffer.alloc(200_000, 'x');
    const stored = await Promise.all(
      Array.from({ length: 20 }, (_, index) => storeAndCrop(both[index % 2 === 0 ? 0 : 1], url, content)),
    );
    expect(new Set(stored.map(({ hash }) => hash)).size).toBe(1);
    const [photo] = stored;
    expect(photo && (await openPhotoCache(folder).findCrop(photo, 'grid'))?.content).toEqual(content);
    expect(await filesIn(folder)).toHaveLength(1);
  });
});

describe('the size of the folder', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * minute);

  /** Stores a photo that appears to have been read last so many hours ago. */
  async function storeHoursAgo(hours: number, folder: string, size: number): Promise<PhotoOfUrl> {
    const from = `http://a.example/${hours}.jpg`;
    const photo = await storeAndCrop(openPhotoCache(folder), from, Buffer.alloc(size, hours));
    const name = createHash('sha256').update(from).digest('hex');
    await utimes(join(folder, 'photos', name.slice(0, 2), name), hoursAgo(hours), hoursAgo(hours));
    return photo;
  }

  const areLeft = async (folder: string, photos: readonly PhotoOfUrl[]) => {
    const other = openPhotoCache(folder);
    return await Promise.all(photos.map(async photo => (await other.findCrop(photo, 'grid')) !== undefined));
  };

  it('is limited by deleting the files read longest ago', async () => {
    const folder = newFolder();
    const photos = [];
    for (const hours of [5, 4, 3, 2]) photos.push(await storeHoursAgo(hours, folder, 3_000));
    await openPhotoCache(folder).findFresh(photos[0]?.url ?? '');
    await storeAndCrop(openPhotoCache(folder, { maxBytes: 13_000 }), 'u', Buffer.alloc(3_000, 1));
    expect(await areLeft(folder, photos)).toEqual([true, false, false, true]);
  });

  it('may exceed its limit by photos of the last hour, which jobs may still need', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxBytes: 1_000 });
    const photos = [];
    for (const fill of [1, 2, 3])
      photos.push(await storeAndCrop(cache, `http://a.example/${fill}.jpg`, Buffer.alloc(900, fill)));
    expect(await areLeft(folder, photos)).toEqual([true, true, true]);
  });

  it('excludes photos that were last printed before `maxAgeMs`', async () => {
    const folder = newFolder();
    const photos = [];
    for (const hours of [25, 23]) photos.push(await storeHoursAgo(hours, folder, 300));
    await openPhotoCache(folder, { maxAgeMs: 24 * 60 * minute }).prune();
    expect(await areLeft(folder, photos)).toEqual([false, true]);
  });

  it('is checked again before a process can fill the folder', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxBytes: 30_000 });
    await storeAndCrop(cache, 'u', Buffer.alloc(1_000, 1));
    const photos = [];
    for (const hours of [9, 8, 7, 6, 5, 4, 3, 2]) photos.push(await storeHoursAgo(hours, folder, 3_000));
    for (const fill of [1, 2, 3, 4]) await storeAndCrop(cache, `u${fill}`, Buffer.alloc(3_000, fill));
    const left = await areLeft(folder, photos);
    expect(left[0]).toBe(false);
    expect(left.at(-1)).toBe(true);
  });

  it('excludes partial files of killed processes', async () => {
    const folder = newFolder();
    const abandoned = join(folder, 'photos', 'ab', 'abc.part');
    await mkdir(join(folder, 'photos', 'ab'), { recursive: true });
    await writeFile(abandoned, 'half');
    await utimes(abandoned, hoursAgo(2), hoursAgo(2));
    await storeAndCrop(openPhotoCache(folder));
    await expect(stat(abandoned)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
