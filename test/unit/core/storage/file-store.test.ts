import { randomBytes } from 'node:crypto';
import { appendFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type ByteRange, checkKey, openFileStore, resolveRange } from '../../../../core/storage/file-store.ts';
import { storedBefore } from '../../../support/stored-before.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a key', () => {
  it.each(['a', 'pdf/0f3a.pdf', 'reports/2026/location-sync_0190.json', '_a/-b', 'x'.repeat(200)])('may be %s', key =>
    expect(() => checkKey(key)).not.toThrow(),
  );

  it.each([
    '',
    '/',
    '/etc/passwd',
    '../secret',
    'a/../b',
    'a/./b',
    'a//b',
    'a/',
    '.hidden',
    'a/.hidden',
    'a\\b',
    'a\0b',
    'A',
    'a b',
    'a~b',
    'a%2fb',
    'c:x',
    'x'.repeat(201),
    'a\n',
  ])('must not be %j', key => expect(() => checkKey(key)).toThrow('not a storage key'));
});

describe('a range', () => {
  it.each([
    [{ start: 0 }, { start: 0, end: 9 }],
    [
      { start: 3, end: 5 },
      { start: 3, end: 5 },
    ],
    [{ start: 9 }, { start: 9, end: 9 }],
    [
      { start: 5, end: 100 },
      { start: 5, end: 9 },
    ],
  ])('%j of ten bytes is %j', (range, bytes) => expect(resolveRange(10, range)).toEqual(bytes));

  it.each([{ start: 10 }, { start: 5, end: 4 }, { start: -1 }])('%j of ten bytes is not satisfiable', range =>
    expect(() => resolveRange(10, range)).toThrow(
      expect.objectContaining({ code: 'range-not-satisfiable', headers: { 'content-range': 'bytes */10' } }),
    ),
  );

  it('of an empty object is empty', () => {
    expect(resolveRange(0)).toEqual({ start: 0, end: -1 });
    expect(() => resolveRange(0, { start: 0, end: 0 })).toThrow('The file has 0 bytes.');
  });
});

describe('the limits of a file store', () => {
  const pdf = { contentType: 'application/pdf' };
  async function newStore() {
    const folder = temporaryFolder();
    return { folder, store: await openFileStore(folder) };
  }
  async function pathsIn(folder: string): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  }

  it.each<[number, ByteRange]>([
    [1_000, { start: 990, end: 5_000 }],
    [999_000, { start: 5, end: 6 }],
    [1_000_000, { start: 0 }],
    [1_000_001, { start: 999_999 }],
    [2_500_000, { start: 1_000_000, end: 1_999_999 }],
  ])('an object of %i bytes is read in the range %j, small or large', async (size, range) => {
    const { store } = await newStore();
    const content = randomBytes(size);
    await store.put('a', content, pdf);
    const opened = await store.open('a', range);
    expect(opened).toMatchObject({ size, ...pdf, range: resolveRange(size, range) });
    expect((await buffer(opened.stream)).equals(content.subarray(range.start, (range.end ?? size) + 1))).toBe(true);
  });

  it('a content type is stored when the footer has at most 1,024 bytes, and rejected when it has more', async () => {
    const { folder, store } = await newStore();
    const footer = JSON.stringify({ size: 1, contentType: '', sha256: '0'.repeat(64) });
    const longest = { contentType: 'x'.repeat(1_024 - '\n0000portal1\n'.length - footer.length) };
    await store.put('a', Buffer.from('x'), longest);
    expect(await store.stat('a')).toMatchObject(longest);
    const tooLong = { contentType: `${longest.contentType}x` };
    await expect(store.put('b', Buffer.from('x'), tooLong)).rejects.toThrow('the content type is too long');
    expect(await pathsIn(folder)).toHaveLength(1);
  });

  it('an unfinished file is removed after a day, not before', async () => {
    const { folder, store } = await newStore();
    const ageHours = async (name: string, hours: number) => {
      const path = join(folder, 'unfinished', name);
      const time = new Date(Date.now() - hours * 3_600_000);
      await writeFile(path, 'half');
      await utimes(path, time, time);
    };
    await ageHours('23 hours', 23.9);
    await ageHours('24 hours', 24.1);
    await ageHours('25 hours', 25);
    expect(await store.removeAbandoned()).toBe(2);
    expect(await readdir(join(folder, 'unfinished'))).toEqual(['23 hours']);
    expect(await store.removeAbandoned()).toBe(0);
  });

  it('lists the keys of the objects that were stored before a time', async () => {
    const { folder, store } = await newStore();
    await store.put('a/b.pdf', Buffer.from('x'), pdf);
    await store.put('new', Buffer.from('x'), pdf);
    const [old = ''] = (await pathsIn(folder)).filter(path => path.endsWith('a~b.pdf'));
    await utimes(old, new Date(1_000_000), new Date(1_000_000));
    expect(await storedBefore(store, new Date(2_000_000))).toEqual(['a/b.pdf']);
    expect(await storedBefore(store, new Date(1_000_000))).toEqual([]);
  });

  it('a file that was extended or overwritten is an error', async () => {
    const { folder, store } = await newStore();
    await store.put('a', Buffer.from('content'), pdf);
    const [path = ''] = await pathsIn(folder);
    const tail = `\n${JSON.stringify({ size: 7, ...pdf, sha256: '0'.repeat(64) })}`;
    const length = tail.length.toString(16).padStart(4, '0');
    await writeFile(path, `contents${tail}${length}portal1\n`);
    await expect(store.stat('a')).rejects.toThrow('a stored file has a wrong size: its footer says 7 bytes');
    await writeFile(path, `content${tail}${length}portal1\n`);
    expect(await store.stat('a')).toMatchObject({ size: 7 });
    await writeFile(path, `content${tail}zzzzportal1\n`);
    await expect(store.stat('a')).rejects.toThrow('it was truncated');
    await appendFile(path, 'x');
    await expect(store.stat('a')).rejects.toThrow('it was truncated');
  });

  it('an object that is not stored is not found, and deleting it succeeds', async () => {
    const { store } = await newStore();
    expect(await store.has('a')).toBe(false);
    await expect(store.open('a')).rejects.toMatchObject({ code: 'not-found' });
    await store.put('a', Buffer.alloc(0), pdf);
    expect(await store.has('a')).toBe(true);
    expect((await buffer((await store.open('a')).stream)).length).toBe(0);
    await store.delete('a');
    await expect(store.delete('a')).resolves.toBeUndefined();
    expect(await store.has('a')).toBe(false);
  });

  it('a write whose source fails leaves no file and reports the error of the source', async () => {
    const { folder, store } = await newStore();
    async function* failing() {
      yield randomBytes(1_200_000);
      throw new Error('the browser died');
    }
    await expect(store.put('a', failing(), pdf)).rejects.toThrow('the browser died');
    expect(await pathsIn(folder)).toEqual([]);
  });

  it('a stream of small and large chunks is stored whole', async () => {
    const { store } = await newStore();
    const content = randomBytes(2_300_001);
    async function* chunks() {
      const ends = [400_000, 999_999, 1_000_000, 2_300_000, 2_300_001];
      for (const [index, end] of ends.entries()) yield content.subarray(ends[index - 1] ?? 0, end);
    }
    const { size } = await store.put('a', chunks(), pdf);
    expect(size).toBe(content.length);
    expect((await buffer((await store.open('a')).stream)).equals(content)).toBe(true);
  });
});
