/** Both stores of results keep the same promises. */
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ByteRange, openFileStore } from '../../../../core/storage/file-store.ts';
import { openS3Store } from '../../../../core/storage/s3-store.ts';
import { probeStore, type Store } from '../../../../core/storage/store.ts';
import { startS3Server } from '../../../support/s3-server.ts';
import { storedBefore } from '../../../support/stored-before.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const pdf = { contentType: 'application/pdf' };
const text = Buffer.from('0123456789');
const root = temporaryFolder();
let s3: Awaited<ReturnType<typeof startS3Server>>;
let stores = 0;

beforeAll(async () => {
  s3 = await startS3Server(join(root, 's3'));
});
afterAll(() => s3.stop());

async function read(from: Store, key: string, range?: ByteRange): Promise<string> {
  return (await buffer((await from.open(key, range)).stream)).toString();
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

const kinds = {
  'file store': (name: string) => openFileStore(join(root, name)),
  'S3 store': async (name: string) => openS3Store({ ...s3.bucket, prefix: `${name}/` }),
};

describe.each(Object.entries(kinds))('the %s', (_, open) => {
  let store: Store;
  /** Another process on the same folder or bucket. */
  let other: Store;

  beforeEach(async () => {
    stores += 1;
    store = await open(`store-${stores}`);
    other = await open(`store-${stores}`);
  });

  it('returns an object to another process, with size, type and hash', async () => {
    expect(await store.put('pdf/1.pdf', text, pdf)).toEqual({ size: 10, sha256: sha256(text) });
    expect(await read(other, 'pdf/1.pdf')).toBe('0123456789');
    expect(await other.stat('pdf/1.pdf')).toEqual({ size: 10, sha256: sha256(text), ...pdf });
    expect(await other.open('pdf/1.pdf', { start: 2, end: 3 })).toMatchObject({
      size: 10,
      sha256: sha256(text),
      range: { start: 2, end: 3 },
      ...pdf,
    });
    expect(await other.has('pdf/1.pdf')).toBe(true);
  });

  it('stores a stream of any length, also one of several parts', async () => {
    const content = randomBytes(17_000_001);
    async function* chunks() {
      for (let start = 0; start < content.length; start += 300_000) yield content.subarray(start, start + 300_000);
    }
    expect(await store.put('big', chunks(), pdf)).toEqual({ size: content.length, sha256: sha256(content) });
    expect((await buffer((await other.open('big')).stream)).equals(content)).toBe(true);
    const part = await buffer((await other.open('big', { start: 8_000_000, end: 9_000_000 })).stream);
    expect(part.equals(content.subarray(8_000_000, 9_000_001))).toBe(true);
  });

  it('stores an empty object', async () => {
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

  it('rejects a range after the end with the size', async () => {
    await store.put('a', text, pdf);
    await expect(store.open('a', { start: 10 })).rejects.toMatchObject({
      code: 'range-not-satisfiable',
      headers: { 'content-range': 'bytes */10' },
    });
  });

  it('stores a key that is the beginning of another key', async () => {
    await store.put('a', Buffer.from('one'), pdf);
    await store.put('a/b', Buffer.from('two'), pdf);
    expect([await read(store, 'a'), await read(store, 'a/b')]).toEqual(['one', 'two']);
  });

  it('does not find an object that does not exist, or that any process has deleted', async () => {
    await expect(store.open('a')).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.stat('a')).rejects.toMatchObject({ code: 'not-found' });
    expect(await store.has('a')).toBe(false);
    await expect(store.delete('a')).resolves.toBeUndefined();
    await store.put('a', text, pdf);
    await other.delete('a');
    await expect(store.open('a')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('stores nothing when the content fails, and the earlier object stays', async () => {
    async function* failing() {
      yield Buffer.from('half');
      throw new Error('the browser died');
    }
    await store.put('a', text, pdf);
    await expect(store.put('a', failing(), pdf)).rejects.toThrow('the browser died');
    await expect(store.put('b', failing(), pdf)).rejects.toThrow('the browser died');
    expect(await read(other, 'a')).toBe('0123456789');
    expect(await store.has('b')).toBe(false);
  });

  it('lists the keys of the objects stored before a time', async () => {
    await store.put('pdf/1.pdf', text, pdf);
    await store.put('pdf/2.json', text, { contentType: 'application/json' });
    const keysBefore = (ms: number) => storedBefore(store, new Date(Date.now() + ms));
    expect((await keysBefore(60_000)).sort()).toEqual(['pdf/1.pdf', 'pdf/2.json']);
    expect(await keysBefore(-60_000)).toEqual([]);
  });

  it('rejects a key that leads elsewhere', async () => {
    const key = '../outside';
    await expect(store.put(key, text, pdf)).rejects.toThrow('not a storage key');
    await expect(store.open(key)).rejects.toThrow('not a storage key');
    await expect(store.stat(key)).rejects.toThrow('not a storage key');
    await expect(store.has(key)).rejects.toThrow('not a storage key');
    await expect(store.delete(key)).rejects.toThrow('not a storage key');
  });

  it('passes the check of the service', () => expect(probeStore(store)).resolves.toBeUndefined());
});

it('the S3 store lists more objects than S3 returns at once', async () => {
  const store = openS3Store({ ...s3.bucket, prefix: 'many/' });
  const keys = Array.from({ length: 1_001 }, (_, at) => `${at}.txt`);
  // The server keeps an object in files named after its key; copies of them take a hundredth of the time of requests.
  await store.put('0.txt', text, { contentType: 'text/plain' });
  const folder = join(root, 's3', 'portal', 'many');
  for (const file of readdirSync(folder))
    for (const key of keys.slice(1)) copyFileSync(join(folder, file), join(folder, file.replace('0.txt', key)));
  expect((await storedBefore(store, new Date(Date.now() + 60_000))).sort()).toEqual(keys.sort());
});

describe('the S3 store, when the store or its network fails,', () => {
  const open = () => openS3Store({ ...s3.bucket, prefix: 'faults/' });
  const content = randomBytes(300_000);

  beforeEach(() => open().put('a', content, pdf));
  afterEach(() => void Object.assign(s3.faults, { slowDown: 0, cutReads: 0, cutWrites: 0, damageReads: false }));

  it('repeats requests that are answered with 503 SlowDown', async () => {
    s3.faults.slowDown = 2;
    await open().put('b', text, pdf);
    s3.faults.slowDown = 2;
    expect(await read(open(), 'b')).toBe('0123456789');
  });

  it('reports a store that keeps answering 503, as a transient error', async () => {
    s3.faults.slowDown = 1_000;
    const expected = { code: 'storage-unavailable', status: 503, transient: true };
    await expect(open().put('b', text, pdf)).rejects.toMatchObject(expected);
    await expect(open().has('a')).rejects.toMatchObject(expected);
    await expect(open().open('a')).rejects.toMatchObject(expected);
  });

  it('repeats an upload whose connection was cut', async () => {
    s3.faults.cutWrites = 1;
    await open().put('b', content, pdf);
    expect((await buffer((await open().open('b')).stream)).equals(content)).toBe(true);
  });

  it('continues a read whose connection was cut where it ended', async () => {
    s3.faults.cutReads = 2;
    expect((await buffer((await open().open('a')).stream)).equals(content)).toBe(true);
    s3.faults.cutReads = 2;
    const part = await buffer((await open().open('a', { start: 1_000, end: 200_000 })).stream);
    expect(part.equals(content.subarray(1_000, 200_001))).toBe(true);
  });

  it('ends a read with an error when its connection is always cut', async () => {
    s3.faults.cutReads = 1_000;
    await expect(buffer((await open().open('a')).stream)).rejects.toMatchObject({ code: 'storage-unavailable' });
  });

  it('ends a read of other bytes than were stored with an error', async () => {
    s3.faults.damageReads = true;
    await expect(buffer((await open().open('a')).stream)).rejects.toThrow('a stored object has been damaged');
  });

  it('has each object whose upload was answered, and lists them, after the store was killed', async () => {
    const store = openS3Store({ ...s3.bucket, prefix: 'killed/' });
    const [stored, errors]: [Map<string, string>, unknown[]] = [new Map(), []];
    const end = new AbortController();
    let answered = 0;
    const upload = async (writer: number): Promise<void> => {
      for (let count = 0; !end.signal.aborted; count++) {
        // Some replace an earlier object.
        const [key, body] = [`${writer}-${count % 20}`, randomBytes(50_000)];
        await store.put(key, body, pdf).then(
          ({ sha256: hash }) => {
            stored.set(key, hash);
            answered++;
          },
          error => {
            stored.delete(key);
            errors.push(error);
          },
        );
      }
    };
    const uploads = [1, 2, 3, 4].map(upload);
    for (let kill = 0; kill < 3; kill++) {
      const before = answered;
      while (answered < before + 8) await new Promise(resolve => setTimeout(resolve, 20));
      await s3.restart(300);
    }
    end.abort();
    await Promise.all(uploads);
    for (const [key, hash] of stored) expect(sha256(await buffer((await store.open(key)).stream))).toBe(hash);
    expect((await storedBefore(store, new Date(Date.now() + 60_000))).length).toBeGreaterThanOrEqual(stored.size);
    for (const error of errors) expect(error).toMatchObject({ code: 'storage-unavailable' });
  });

  it('reports wrong credentials and a missing bucket as they are', () =>
    expect(openS3Store({ ...s3.bucket, bucket: 'missing' }).put('a', text, pdf)).rejects.toMatchObject({
      name: 'NoSuchBucket',
    }));

  it('reports a store that does not listen', async () => {
    const closed = openS3Store({ ...s3.bucket, endpoint: 'http://127.0.0.1:1' });
    await expect(closed.put('a', text, pdf)).rejects.toMatchObject({ code: 'storage-unavailable' });
  });
});
