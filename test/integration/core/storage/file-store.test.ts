/** The files of the file store: their form, unfinished and damaged ones. store.test.ts has what both stores do. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFileStore } from '../../../../core/storage/file-store.ts';
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

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

it('an object can be opened by a PDF reader from its file, because the content is first', async () => {
  await store.put('a.pdf', Buffer.from('%PDF-1.7 … %%EOF'), pdf);
  const [file] = await filesIn(join(folder, 'objects'));
  expect((await readFile(file ?? '')).toString()).toMatch(/^%PDF-1.7 … %%EOF\n\{/);
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
  it('that fails leaves no file', async () => {
    async function* failing() {
      yield Buffer.from('half');
      throw new Error('the browser died');
    }
    await store.put('a', text, pdf);
    await expect(store.put('a', failing(), pdf)).rejects.toThrow('the browser died');
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
    expect((await buffer((await other.open('a')).stream)).toString()).toBe('halfwhole');
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
