/** Results as files in a folder that several processes may share. */
import { createHash, hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { codeOf, undefinedIfMissing } from '../runtime/error-code.ts';
import type { StorageConfig } from './config.ts';
import { checkKey, notStored, type OpenedObject, resolveRange, type Store, type StoredObject } from './store.ts';

/** Unfinished files of killed processes are removed after a day. */
const abandonedMs = 24 * 60 * 60_000;

/** Smaller reads and writes cost more than their bytes. */
const chunkBytes = 1_000_000;

/**
 * The end of each file. Content and footer are in one file, so that they cannot get separated; PDF readers ignore what
 * follows the end of a document.
 */
const Footer = z.object({ size: z.int().min(0), contentType: z.string(), sha256: z.string().length(64) });
/** Shows that the file is complete. */
const mark = 'portal1\n';
/** The length of the footer's JSON as four hexadecimal digits, then the mark. */
const tailBytes = 4 + mark.length;
const maxFooterBytes = 1_024;

export async function openStore(config: StorageConfig): Promise<Store> {
  return await openFileStore(config.STORAGE_URL ?? resolve(config.DATA_DIR, 'results'));
}

/** Creates the folder when it does not exist. */
export async function openFileStore(folder: string): Promise<Store> {
  const unfinished = join(folder, 'unfinished');
  await mkdir(unfinished, { recursive: true });
  await removeAbandoned(unfinished);

  /** Keys share no folders, so that `a` and `a/b` can both be stored. */
  function pathOf(key: string): string {
    checkKey(key);
    const shard = hash('sha256', key).slice(0, 2);
    return join(folder, 'objects', shard, key.replaceAll('/', '~'));
  }

  return {
    async put(key, content, { contentType }) {
      const path = pathOf(key);
      const temporary = join(unfinished, randomUUID());
      try {
        const written = await writeFlushed(temporary, content, contentType);
        await mkdir(dirname(path), { recursive: true });
        await rename(temporary, path);
        await flushFolder(dirname(path));
        return written;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    open: async (key, range) => await openObject(await openExisting(pathOf(key)), range),
    async stat(key) {
      const file = await openExisting(pathOf(key));
      return (await readEnd(file).finally(() => file.close())).object;
    },
    has: async key => (await statIfExists(pathOf(key))) !== undefined,
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    async *storedBefore(time) {
      for (const shard of await namesIn(join(folder, 'objects'))) {
        for (const name of await namesIn(join(folder, 'objects', shard))) {
          const found = await statIfExists(join(folder, 'objects', shard, name));
          if (found && found.mtimeMs < time.getTime()) yield name.replaceAll('~', '/');
        }
      }
    },
    removeAbandoned: () => removeAbandoned(unfinished),
  };
}

/** @throws ServiceError `not-found` */
const openExisting = (path: string): Promise<FileHandle> =>
  open(path).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? notStored() : error;
  });

/** Streams a large file; a small one was read whole with its footer. */
async function openObject(file: FileHandle, range: Parameters<Store['open']>[1]): Promise<OpenedObject> {
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
