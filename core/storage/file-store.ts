/** Results as files in a folder that several processes may share. */
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { footerOf, readEnd } from './object-footer.ts';
import { checkKey, notStored, resolveRange, type Store } from './store.ts';

/** What a killed process left unfinished is removed after a day. */
const abandonedMs = 24 * 60 * 60_000;

/** Not in pieces: each piece of a file costs more than its bytes. */
const atOnceBytes = 1_000_000;

/** Opens the folder, making it when it is not there. */
export async function openFileStore(folder: string): Promise<Store> {
  const unfinished = join(folder, 'unfinished');
  await mkdir(unfinished, { recursive: true });
  await removeAbandoned(unfinished);

  /** Keys share no folders among themselves, so that `a` and `a/b` can both be stored. */
  function pathOf(key: string): string {
    checkKey(key);
    const shard = createHash('sha256').update(key).digest('hex').slice(0, 2);
    return join(folder, 'objects', shard, key.replaceAll('/', '~'));
  }

  async function openExisting(key: string): Promise<FileHandle> {
    return await open(pathOf(key)).catch((error: unknown) => {
      throw isMissing(error) ? notStored() : error;
    });
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
    async open(key, range) {
      const file = await openExisting(key);
      try {
        const { object, bytes, isWhole } = await readEnd(file, atOnceBytes);
        const { start, end } = resolveRange(object.size, range);
        if (!isWhole)
          return { ...object, range: { start, end }, stream: file.createReadStream({ start, end }) };
        await file.close();
        const content = bytes.subarray(start, end + 1);
        const stream = Readable.from(content.length > 0 ? [content] : [], { objectMode: false });
        return { ...object, range: { start, end }, stream };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    async stat(key) {
      const file = await openExisting(key);
      const { object } = await readEnd(file).finally(() => file.close());
      return object;
    },
    async has(key) {
      return await stat(pathOf(key)).then(
        () => true,
        (error: unknown) => {
          if (isMissing(error)) return false;
          throw error;
        },
      );
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    async *storedBefore(time) {
      for (const shard of await namesIn(join(folder, 'objects'))) {
        for (const name of await namesIn(join(folder, 'objects', shard))) {
          const found = await statIfThere(join(folder, 'objects', shard, name));
          if (found && found.mtimeMs < time.getTime()) yield name.replaceAll('~', '/');
        }
      }
    },
    removeAbandoned: () => removeAbandoned(unfinished),
  };
}

/** Writes content and footer and waits until the disk has them: a job that says it is done must not lose its result. */
async function writeFlushed(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  contentType: string,
) {
  const file = await open(path, 'wx');
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of content instanceof Uint8Array ? [content] : inPieces(content)) {
      hash.update(piece);
      size += piece.length;
      await file.writeFile(piece);
    }
    const sha256 = hash.digest('hex');
    await file.writeFile(footerOf({ size, contentType, sha256 }));
    await file.sync();
    return { size, sha256 };
  } finally {
    await file.close();
  }
}

/** The same bytes in larger pieces, for each that is written costs more than its bytes. */
async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    gathered.push(chunk);
    bytes += chunk.length;
    if (bytes < atOnceBytes) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}

/** Makes a rename outlast a power cut; Windows cannot open folders and does not need it. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function removeAbandoned(folder: string): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await statIfThere(path);
    if (!found || Date.now() - found.mtimeMs <= abandonedMs) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder)
    .catch(undefinedIfMissing)
    .then(names => names ?? []);

/** Undefined when another process has just finished or removed it. */
const statIfThere = (path: string) => stat(path).catch(undefinedIfMissing);

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
