import { createHash } from 'node:crypto';
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ByteRange, openFileStore } from '../../../../core/storage/file-store.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const root = temporaryFolder();
const pdf = { contentType: 'application/pdf' };
const text = Buffer.from('0123456789');
let folders = 0;
let folder: string;
let store: Store;
/** Another process on the same folder. */
let other: Store;

beforeEach(async () => {
  folders += 1;
  folder = join(root, String(folders));
  store = await openFileStore(folder);
  other = await openFileStore(folder);
});

async function read(from: Store, key: string, range?: ByteRange): Promise<string> {
  return (await buffer((await from.open(key, range)).stream)).toString();
}

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

describe('a stored object', () => {
  it('can be read by another process, with size, type and hash', async () => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(await store.put('pdf/1.pdf', text, pdf)).toEqual({ size: 10, sha256 });
    expect(await read(other, 'pdf/1.pdf')).toBe('0123456789');
    expect(await other.stat('pdf/1.pdf')).toEqual({ size: 10, sha256, ...pdf });
    expect(await other.has('pdf/1.pdf')).toBe(true);
  });

  it('may come as a stream of any length', async () => {
    async function* chunks() {
      for (let i = 0; i < 100; i += 1) yield Buffer.alloc(50_000, i);
    }
    const { size, sha256 } = await store.put('big', chunks(), pdf);
    expect(size).toBe(5_000_000);
    const content = await buffer((await other.open('big')).stream);
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  });

  it('may be empty', async () => {
    await store.put('empty', Buffer.alloc(0), pdf);
    expect(await read(other, 'empty')).toBe('');
  });

  it.each([
    [{ start: 0, end: 3 }, '0123'],
    [{ start: 4 }, '456789'],
    [{ start: 9, end: 9 }, '9'],
    [{ start: 8, end: 1_000 }, '89'],
  ])('returns the range %j', async (range, part) => {
    await store.put('a', text, pdf);
    expect(await read(store, 'a', range)).toBe(part);
  });

  it('rejects a range after its end', async () => {
    await store.put('a', text, pdf);
    await expect(store.open('a', { start: 10 })).rejects.toMatchObject({ code: 'range-not-satisfiable' });
  });

  it('may have a key that is the beginning of another key', async () => {
    await store.put('a', Buffer.from('one'), pdf);
    await store.put('a/b', Buffer.from('two'), pdf);
    expect([await read(store, 'a'), await read(store, 'a/b')]).toEqual(['one', 'two']);
  });

  it('can be opened by a PDF reader from its file, because the content is first', async () => {
    await store.put('a.pdf', Buffer.from('%PDF-1.7 … %%EOF'), pdf);
    const [file] = await filesIn(join(folder, 'objects'));
    expect((await readFile(file ?? '')).toString()).toMatch(/^%PDF-1.7 … %%EOF\n\{/);
  });
});

describe('an object that does not exist', () => {
  it('is not found', async () => {
    await expect(store.open('a')).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.stat('a')).rejects.toMatchObject({ code: 'not-found' });
    expect(await store.has('a')).toBe(false);
    await expect(store.delete('a')).resolves.toBeUndefined();
  });

  it('is not found after any process has deleted it', async () => {
    await store.put('a', text, pdf);
    await other.delete('a');
    await expect(store.open('a')).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a replaced object', () => {
  it('can be read to its end by those who opened it before', async () => {
    await store.put('a', Buffer.alloc(1_000_000, 'old'), pdf);
    const opened = await other.open('a');
    await store.put('a', Buffer.from('new'), pdf);
    await store.delete('a');
    expect((await buffer(opened.stream)).equals(Buffer.alloc(1_000_000, 'old'))).toBe(true);
  });

  it('has the content of one of two concurrent writers, never a mixture', async () => {
    const contents = Array.from({ length: 12 }, (_, index) => Buffer.alloc(100_000, `content ${index} `));
    await store.put('a', contents[0] ?? text, pdf);
    const writes = contents.map((content, index) => (index % 2 ? store : other).put('a', content, pdf));
    const reads = contents.map(async () => {
      const opened = await other.open('a');
      return (
        createHash('sha256')
          .update(await buffer(opened.stream))
          .digest('hex') === opened.sha256
      );
    });
    expect(await Promise.all(reads)).toEqual(contents.map(() => true));
    await Promise.all(writes);
    expect(await filesIn(folder)).toHaveLength(1);
  });
});

describe('an unfinished write', () => {
  it('that fails stores nothing, and the earlier object stays', async () => {
    async function* failing() {
      yield Buffer.from('half');
      throw new Error('the browser died');
    }
    await store.put('a', text, pdf);
    await expect(store.put('a', failing(), pdf)).rejects.toThrow('the browser died');
    expect(await read(other, 'a')).toBe('0123456789');
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it('is not visible before it is complete', async () => {
    let finish = () => {};
    const rest = new Promise<void>(go => {
      finish = go;
    });
    async function* slow() {
      yield Buffer.from('half');
      await rest;
      yield Buffer.from('whole');
    }
    const writing = store.put('a', slow(), pdf);
    await expect.poll(() => filesIn(folder)).toHaveLength(1);
    expect(await other.has('a')).toBe(false);
    finish();
    await writing;
    expect(await read(other, 'a')).toBe('halfwhole');
  });

  it('of a process killed long ago is removed; that of a running one is not', async () => {
    const [old, young] = ['old', 'young'].map(name => join(folder, 'unfinished', name));
    for (const path of [old, young]) await writeFile(path ?? '', 'half');
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60_000);
    await utimes(old ?? '', twoDaysAgo, twoDaysAgo);
    await openFileStore(folder);
    await expect(stat(old ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(stat(young ?? '')).resolves.toMatchObject({ size: 4 });
  });
});

describe('a file that was truncated', () => {
  it.each([1, 20, 100, 10_000])('by %i bytes is an error', async bytes => {
    await store.put('a', Buffer.alloc(5_000, 'x'), pdf);
    const [file] = await filesIn(join(folder, 'objects'));
    const { size } = await stat(file ?? '');
    await truncate(file ?? '', Math.max(0, size - bytes));
    await expect(store.open('a')).rejects.toThrow('it was truncated');
  });
});

it('every method rejects a key that leads out of the folder', async () => {
  const key = '../outside';
  await expect(store.put(key, text, pdf)).rejects.toThrow('not a storage key');
  await expect(store.open(key)).rejects.toThrow('not a storage key');
  await expect(store.stat(key)).rejects.toThrow('not a storage key');
  await expect(store.has(key)).rejects.toThrow('not a storage key');
  await expect(store.delete(key)).rejects.toThrow('not a storage key');
});
