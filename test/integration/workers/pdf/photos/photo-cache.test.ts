import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  openPhotoCache,
  type PhotoCache,
  type PhotoOfUrl,
} from '../../../../../workers/pdf/photos/photo-cache.ts';
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

/** A photo as a job has it: kept, and cut for one slot. */
async function keptAndCut(cache: PhotoCache, from = url, content = Buffer.from('cut')) {
  const photo = { url: from, ...(await cache.store(from, bytes, shape, minute)) };
  await cache.storeCrop(photo, 'grid', content);
  return photo;
}

describe('a kept photo', () => {
  it('is there until it is cut, and then its variant is, for another process on the same folder too', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder);
    const kept = await cache.store(url, bytes, shape, minute);
    expect(await cache.findFresh(url)).toEqual(kept);
    expect(await cache.readOriginal(kept.hash)).toEqual(bytes);
    await cache.storeCrop({ url, ...kept }, 'grid', Buffer.from('cut'));
    const other = openPhotoCache(folder);
    expect(await other.findFresh(url)).toEqual(kept);
    expect(await other.findCrop({ url, ...kept }, 'grid')).toMatchObject({ content: Buffer.from('cut') });
    expect(await other.findCrop({ url, ...kept }, 'hero')).toBeUndefined();
    expect(await other.readOriginal(kept.hash)).toBeUndefined();
    expect(await other.findFresh('http://a.example/2.jpg')).toBeUndefined();
  });

  it('has a variant for each slot, in one file', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder);
    const photo = await keptAndCut(cache);
    await cache.storeCrop(photo, 'hero', Buffer.from('large'));
    expect(await filesIn(folder)).toHaveLength(1);
    const other = openPhotoCache(folder);
    expect((await other.findCrop(photo, 'grid'))?.content.toString()).toBe('cut');
    expect((await other.findCrop(photo, 'hero'))?.content.toString()).toBe('large');
  });

  it('keeps its newest variants only', async () => {
    const cache = openPhotoCache(newFolder());
    const photo = await keptAndCut(cache);
    const keys = ['1', '2', '3', '4', '5', '6', '7', '8'];
    for (const key of keys) await cache.storeCrop(photo, key, Buffer.from(key));
    const kept = await Promise.all(['grid', ...keys].map(key => cache.findCrop(photo, key)));
    expect(kept.map(variant => variant?.content.toString())).toEqual([undefined, ...keys]);
  });

  it('is fresh for its time and no longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const cache = openPhotoCache(newFolder());
    const { hash } = await cache.store(url, bytes, shape, minute);
    vi.setSystemTime(Date.now() + minute - 1);
    expect(await cache.findFresh(url)).toMatchObject({ hash });
    vi.setSystemTime(Date.now() + 1);
    expect(await cache.findFresh(url)).toBeUndefined();
  });

  it('whose server forbids keeping it is asked for again next time', async () => {
    const cache = openPhotoCache(newFolder());
    const { hash } = await cache.store(url, bytes, shape, 0);
    expect(await cache.findFresh(url)).toBeUndefined();
    expect(await cache.readOriginal(hash)).toEqual(bytes);
  });

  it('that its URL still gives later keeps its variants, and is fresh again for other processes', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder);
    const first = { url, ...(await cache.store(url, bytes, shape, 0)) };
    await cache.storeCrop(first, 'grid', Buffer.from('cut'));
    const again = { url, ...(await openPhotoCache(folder).store(url, bytes, shape, minute)) };
    const other = openPhotoCache(folder);
    expect(await other.findFresh(url)).toMatchObject({ hash: first.hash });
    expect((await other.findCrop(again, 'grid'))?.content.toString()).toBe('cut');
  });
});

it('a URL that gives another photo each time never shows one for the other', async () => {
  const cache = openPhotoCache(newFolder());
  const before = { url, ...(await cache.store(url, bytes, shape, 0)) };
  const now = { url, ...(await cache.store(url, Buffer.from('another'), shape, 0)) };
  expect(await cache.readOriginal(before.hash)).toEqual(bytes);
  expect((await cache.storeCrop(before, 'grid', Buffer.from('cut'))).content.toString()).toBe('cut');
  await cache.storeCrop(now, 'grid', Buffer.from('another cut'));
  expect(await cache.findCrop(before, 'grid')).toBeUndefined();
  expect((await cache.findCrop(now, 'grid'))?.content.toString()).toBe('another cut');
});

describe('photos for which memory has no room until they are cut', () => {
  it('wait on the disk', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxOriginalBytes: 6 });
    const others = ['other', 'third'].map(text => Buffer.from(text));
    const kept = [await cache.store(url, bytes, shape, minute)];
    for (const [index, other] of others.entries())
      kept.push(await cache.store(`http://a.example/${index + 2}.jpg`, other, shape, minute));
    expect(await filesIn(folder)).toHaveLength(2);
    const originals = await Promise.all(kept.map(({ hash }) => cache.readOriginal(hash)));
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

describe('whatever happens to the files', () => {
  it('deleting one makes the photo missing, never wrong', async () => {
    const folder = newFolder();
    const photo = await keptAndCut(openPhotoCache(folder));
    for (const file of await filesIn(folder)) await rm(file);
    const other = openPhotoCache(folder);
    expect([await other.findFresh(url), await other.findCrop(photo, 'grid')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['cutting', (file: Buffer) => file.subarray(0, -1)],
    ['lengthening', (file: Buffer) => Buffer.concat([file, Buffer.from('x')])],
    ['emptying', () => Buffer.alloc(0)],
    ['overwriting', (file: Buffer) => Buffer.from(file).fill('x', file.length - 2)],
    ['replacing', () => Buffer.from('<html>\n</html>')],
  ])('%s one makes the photo missing, never wrong', async (_way, damage) => {
    const folder = newFolder();
    const photo = await keptAndCut(openPhotoCache(folder));
    for (const file of await filesIn(folder)) await writeFile(file, damage(await readFile(file)));
    const other = openPhotoCache(folder);
    expect([await other.findFresh(url), await other.findCrop(photo, 'grid')]).toEqual([undefined, undefined]);
    await keptAndCut(other);
    expect(await openPhotoCache(folder).findFresh(url)).toMatchObject({ hash: photo.hash });
  });

  it('two processes may keep the same photo at once', async () => {
    const folder = newFolder();
    const both = [openPhotoCache(folder), openPhotoCache(folder)] as const;
    const content = Buffer.alloc(200_000, 'x');
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, index) => keptAndCut(both[index % 2 === 0 ? 0 : 1], url, content)),
    );
    expect(new Set(kept.map(({ hash }) => hash)).size).toBe(1);
    const [photo] = kept;
    expect(photo && (await openPhotoCache(folder).findCrop(photo, 'grid'))?.content).toEqual(content);
    expect(await filesIn(folder)).toHaveLength(1);
  });
});

describe('the size of the folder', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * minute);

  /** Keeps a photo as if it had last been read so many hours ago. */
  async function keepSince(hours: number, folder: string, size: number): Promise<PhotoOfUrl> {
    const from = `http://a.example/${hours}.jpg`;
    const photo = await keptAndCut(openPhotoCache(folder), from, Buffer.alloc(size, hours));
    const name = createHash('sha256').update(from).digest('hex');
    await utimes(join(folder, 'photos', name.slice(0, 2), name), hoursAgo(hours), hoursAgo(hours));
    return photo;
  }

  const isLeft = async (folder: string, photos: readonly PhotoOfUrl[]) => {
    const other = openPhotoCache(folder);
    return await Promise.all(photos.map(async photo => (await other.findCrop(photo, 'grid')) !== undefined));
  };

  it('is kept by giving up what was read longest ago', async () => {
    const folder = newFolder();
    const photos = [];
    for (const hours of [5, 4, 3, 2]) photos.push(await keepSince(hours, folder, 3_000));
    await openPhotoCache(folder).findFresh(photos[0]?.url ?? '');
    await keptAndCut(openPhotoCache(folder, { maxBytes: 13_000 }), 'u', Buffer.alloc(3_000, 1));
    expect(await isLeft(folder, photos)).toEqual([true, false, false, true]);
  });

  it('never costs a photo of the last hour, which a job may still need', async () => {
    const folder = newFolder();
    const cache = openPhotoCache(folder, { maxBytes: 1_000 });
    const photos = [];
    for (const fill of [1, 2, 3])
      photos.push(await keptAndCut(cache, `http://a.example/${fill}.jpg`, Buffer.alloc(900, fill)));
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
    await keptAndCut(cache, 'u', Buffer.alloc(1_000, 1));
    const photos = [];
    for (const hours of [9, 8, 7, 6, 5, 4, 3, 2]) photos.push(await keepSince(hours, folder, 3_000));
    for (const fill of [1, 2, 3, 4]) await keptAndCut(cache, `u${fill}`, Buffer.alloc(3_000, fill));
    const left = await isLeft(folder, photos);
    expect(left[0]).toBe(false);
    expect(left.at(-1)).toBe(true);
  });

  it('is not used up by files that a killed process left unfinished', async () => {
    const folder = newFolder();
    const abandoned = join(folder, 'photos', 'ab', 'abc.part');
    await mkdir(join(folder, 'photos', 'ab'), { recursive: true });
    await writeFile(abandoned, 'half');
    await utimes(abandoned, hoursAgo(2), hoursAgo(2));
    await keptAndCut(openPhotoCache(folder));
    await expect(stat(abandoned)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
