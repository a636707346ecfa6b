/** Results as files in a folder that several processes may share. */
import { createHash, hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { codeOf, undefinedIfMissing } from '../runtime/error-code.ts';
import { ServiceError } from '../runtime/errors.ts';
import { preparePrivateFolder } from '../runtime/private-folder.ts';

/** Unfinished files of killed processes are removed after a day. */
const abandonedMs = 24 * 60 * 60_000;

/** Smaller reads and writes cost more than their bytes. */
const chunkBytes = 1_000_000;

/**
 * The end of each file. Content and footer are in one file, so that they cannot get separated; PDF readers ignore what
 * follows the end of a document.
 */
const Footer = z.object({
  /** Bytes. */
  size: z.int().min(0),
  contentType: z.string(),
  /** The digest of the content, in hex: a strong ETag. */
  sha256: z.string().length(64),
});
type StoredObject = z.infer<typeof Footer>;
/** Shows that the file is complete. */
const mark = 'portal1\n';
/** The length of the footer's JSON as four hexadecimal digits, then the mark. */
const tailBytes = 4 + mark.length;
const maxFooterBytes = 1_024;

/** Bytes `start` to `end`, both inclusive and counted from 0; without `end`, to the last one. */
export interface ByteRange {
  start: number;
  end?: number;
}

/** Headers of a download. */
export type DownloadHeaders = Record<'contentType' | 'contentDisposition', string>;

/** Whole objects under keys. Creates the folder when it does not exist. */
export async function openFileStore(folder: string) {
  const unfinished = join(folder, 'unfinished');
  for (const part of [unfinished, join(folder, 'objects')]) await preparePrivateFolder(part);
  await removeAbandoned(unfinished);

  /** Keys share no folders, so that `a` and `a/b` can both be stored. */
  function pathOf(key: string): string {
    checkKey(key);
    const shard = hash('sha256', key).slice(0, 2);
    return join(folder, 'objects', shard, key.replaceAll('/', '~'));
  }

  return {
    /**
     * Stores an object, or replaces the one under this key, atomically.
     * @throws the stream's error; then nothing is stored
     */
    async put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, { contentType }: { contentType: string }) {
      const path = pathOf(key);
      const temporary = join(unfinished, randomUUID());
      try {
        const written = await writeFlushed(temporary, content, contentType);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(temporary, path);
        await flushFolder(dirname(path));
        return written;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    /**
     * An object that is replaced or deleted meanwhile can still be read to its end.
     * @param range default: the whole object
     * @throws ServiceError `not-found`; `range-not-satisfiable` for a range that begins after the end
     */
    open: async (key: string, range?: ByteRange) => await openObject(await openExisting(pathOf(key)), range),
    /** @throws ServiceError `not-found` */
    async stat(key: string): Promise<StoredObject> {
      const file = await openExisting(pathOf(key));
      return (await readEnd(file).finally(() => file.close())).object;
    },
    /** A public address that sends the object for some minutes; undefined: the store has none. */
    addressOf: async (_key: string, _headers: DownloadHeaders): Promise<string | undefined> => undefined,
    has: async (key: string) => (await statIfExists(pathOf(key))) !== undefined,
    /** Idempotent. */
    async delete(key: string): Promise<void> {
      await rm(pathOf(key), { force: true });
    },
    /**
     * One page of the keys of objects stored before a time, in no order.
     * @param after `next` of the page before; it stays valid in later processes
     * @returns `next`: undefined on the last page
     */
    async storedBefore(time: Date, after = ''): Promise<{ keys: string[]; next: string | undefined }> {
      const shards = (await namesIn(join(folder, 'objects'))).filter(name => name > after).sort();
      const [shard, ...others] = shards;
      if (shard === undefined) return { keys: [], next: undefined };
      const keys: string[] = [];
      for (const name of await namesIn(join(folder, 'objects', shard))) {
        const found = await statIfExists(join(folder, 'objects', shard, name));
        if (found && found.mtimeMs < time.getTime()) keys.push(name.replaceAll('~', '/'));
      }
      return { keys, next: others.length > 0 ? shard : undefined };
    },
    /** Deletes unfinished files of killed processes. @returns their number */
    removeAbandoned: () => removeAbandoned(unfinished),
  };
}

/** Lower case only, because some file systems ignore case; no part begins with a dot. */
const keyForm = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;
const maxKeyLength = 200;

/** @throws TypeError; the program makes the keys, so that an invalid one is a bug or an attack */
export function checkKey(key: string): void {
  if (key.length > maxKeyLength || !keyForm.test(key)) throw new TypeError(`not a storage key: ${JSON.stringify(key)}`);
}

/** @throws ServiceError `range-not-satisfiable` (RFC 9110 §15.5.17), with `Content-Range` */
export function resolveRange(size: number, range: ByteRange = { start: 0 }): { start: number; end: number } {
  const end = Math.min(range.end ?? size - 1, size - 1);
  const isWholeEmptyObject = size === 0 && range.start === 0 && range.end === undefined;
  if (!isWholeEmptyObject && (range.start < 0 || range.start > end)) {
    throw new ServiceError('range-not-satisfiable', `The file has ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { start: range.start, end };
}

export const notStored = (): ServiceError => new ServiceError('not-found', 'The file is not stored (any more).');

/** @throws ServiceError `not-found` */
const openExisting = (path: string): Promise<FileHandle> =>
  open(path).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? notStored() : error;
  });

/**
 * Streams a large file; a small one was read whole with its footer.
 * @returns `range`: the bytes of `stream`, which must be read to its end or destroyed
 */
async function openObject(file: FileHandle, range: ByteRange | undefined) {
  try {
    const { object, bytes, isWhole } = await readEnd(file, chunkBytes);
    const { start, end } = resolveRange(object.size, range);
    if (!isWhole) return { ...object, range: { start, end }, stream: file.createReadStream({ start, end }) };
    await file.close();
    const content = bytes.subarray(start, end + 1);
    const stream = Readable.from(content.length > 0 ? [content] : [], { objectMode: false });
    return { ...object, range: { start, end }, stream };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes content and footer and flushes them to disk: a job that has succeeded must not lose its result. */
async function writeFlushed(path: string, content: Uint8Array | AsyncIterable<Uint8Array>, contentType: string) {
  const file = await open(path, 'wx');
  try {
    const digest = createHash('sha256');
    let size = 0;
    for await (const chunk of content instanceof Uint8Array ? [content] : largeChunks(content)) {
      digest.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    const sha256 = digest.digest('hex');
    await file.writeFile(footerOf({ size, contentType, sha256 }));
    await file.sync();
    return { size, sha256 };
  } finally {
    await file.close();
  }
}

async function* largeChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffered: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    buffered.push(chunk);
    bytes += chunk.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(buffered);
    buffered = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(buffered);
}

/** Makes a rename survive a power failure; Windows cannot open folders and does not need it. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function removeAbandoned(folder: string): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await statIfExists(path);
    if (!found || Date.now() - found.mtimeMs <= abandonedMs) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder).catch(undefinedIfMissing)) ?? [];

/** Undefined also when another process has just renamed or removed it. */
const statIfExists = (path: string) => stat(path).catch(undefinedIfMissing);

function footerOf(object: StoredObject): Buffer {
  const json = Buffer.from(`\n${JSON.stringify(Footer.parse(object))}`);
  if (json.length + tailBytes > maxFooterBytes)
    throw new TypeError(`the content type is too long: ${object.contentType.length} characters`);
  return Buffer.concat([json, Buffer.from(json.length.toString(16).padStart(4, '0') + mark)]);
}

/**
 * Reads the last bytes of a file with its footer.
 * @param wholeBytes a file of this size or smaller is read whole
 * @throws Error when the file has no valid footer
 */
async function readEnd(file: FileHandle, wholeBytes = 0) {
  const { size } = await file.stat();
  const bytes = await readLast(file, size, size <= wholeBytes ? size : Math.min(size, maxFooterBytes));
  return { object: footerIn(bytes, size), bytes, isWhole: bytes.length === size };
}

function footerIn(end: Buffer, fileSize: number): StoredObject {
  const tail = end.subarray(-tailBytes).toString('latin1');
  const jsonBytes = Number.parseInt(tail.slice(0, 4), 16);
  if (!tail.endsWith(mark) || Number.isNaN(jsonBytes) || jsonBytes + tailBytes > end.length)
    throw new Error('a stored file has no footer: it was truncated');
  const json = end.subarray(end.length - tailBytes - jsonBytes, end.length - tailBytes);
  const footer = Footer.parse(JSON.parse(json.toString()));
  if (footer.size !== fileSize - tailBytes - jsonBytes)
    throw new Error(`a stored file has a wrong size: its footer says ${footer.size} bytes`);
  return footer;
}

/** Returns fewer bytes when the file was truncated meanwhile. */
async function readLast(file: FileHandle, fileSize: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, fileSize - length + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
