/**
 * Cache of cropped photos, in memory and on disk, so that an identical request needs neither network nor cropping. Keeps
 * originals until they are cropped. Several processes may share the folder, and any file in it may be deleted at any time:
 * missing and damaged files are cache misses.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isDiskFull } from '../../../core/runtime/error-code.ts';
import { parseJson } from '../../../core/values/parse-json.ts';
import type { PhotoShape } from '../layout/photo-slot.ts';
import { pruneFolder, readAndTouch, sha256, writeAtomically } from './atomic-file.ts';
import { OriginalCache } from './original-cache.ts';

interface PhotoCacheOptions {
  /** On disk; default 2 GB. */
  maxBytes?: number;
  /** Since a file was last read; default unlimited. */
  maxAgeMs?: number;
  /** The bytes of crops in memory; default 64 MB, about 1,500 crops. */
  maxMemoryBytes?: number;
  /** The bytes of originals in memory that are not cropped yet; default 96 MB, those of 30 listings. Further ones go to disk. */
  maxOriginalBytes?: number;
}

const CachedPhoto = z.object({
  /** SHA-256 of the original's bytes in hex. */
  hash: z.string(),
  /** After EXIF rotation. */
  widthPx: z.int(),
  heightPx: z.int(),
  /** Until then the URL is assumed to return the same photo; ms since the epoch. */
  freshUntil: z.number(),
});
export type CachedPhoto = z.infer<typeof CachedPhoto>;

export interface PhotoOfUrl extends CachedPhoto {
  url: string;
}

/** A photo cropped to a slot, ready for the page. */
export interface Crop {
  /** SHA-256 of `content` in hex. */
  hash: string;
  content: Buffer;
}

interface PhotoRecord {
  photo: CachedPhoto;
  /** By everything that they depend on besides the photo. */
  crops: ReadonlyMap<string, Crop>;
}

/** The first line of the cache file of a URL; the bytes of its crops follow. */
const FirstLine = z.object({
  photo: CachedPhoto,
  variants: z.array(z.object({ key: z.string(), hash: z.string(), bytes: z.int() })),
});
type FirstLine = z.infer<typeof FirstLine>;

export type PhotoCache = ReturnType<typeof openPhotoCache>;

/** Pruning a full folder takes a second, so at least this share of `maxBytes` is written in between. */
const minPruneInterval = 1 / 20;
/** The share of the free bytes that this process may write before it prunes; other processes write, too. */
const ownShare = 1 / 3;

/** The newest crops of a photo: both designs, the preview and some lower qualities. Crops of older versions are dropped. */
const maxCropsPerPhoto = 8;

/** Bytes of a record besides its crops. */
const recordBytes = 500;

export function openPhotoCache(folder: string, options: PhotoCacheOptions = {}) {
  const records = openRecords(folder, options);
  const originals = new OriginalCache(options.maxOriginalBytes ?? 96_000_000);
  const originalPath = (hash: string) => shardedPath(folder, 'waiting', hash);

  return {
    /** The photo that the URL returned, while it is fresh. */
    async findFresh(url: string): Promise<CachedPhoto | undefined> {
      const record = await records.find(url);
      return record && record.photo.freshUntil > Date.now() ? record.photo : undefined;
    },
    /** What it has of the photo of this URL. */
    async look(url: string) {
      const { photo, crops } = (await records.find(url)) ?? {};
      return { isFresh: photo !== undefined && photo.freshUntil > Date.now(), isCropped: (crops?.size ?? 0) > 0 };
    },
    /** Stores an original until it is cropped, and for `freshMs` that the URL returns it. */
    async store(url: string, bytes: Buffer, shape: PhotoShape, freshMs: number): Promise<CachedPhoto> {
      const { widthPx, heightPx } = shape;
      const photo = { hash: sha256(bytes), widthPx, heightPx, freshUntil: Date.now() + freshMs };
      if (!originals.add(photo.hash, bytes)) {
        await writeAtomically(originalPath(photo.hash), bytes).catch(records.pruneFullDisk);
        await records.pruneIfDue(bytes.length);
      }
      const known = await records.find(url);
      const crops = known?.photo.hash === photo.hash ? known.crops : new Map<string, Crop>();
      // Without crops nothing is written: the first crop follows in a moment and writes the file.
      if (crops.size > 0) await records.write(url, { photo, crops });
      else records.recent.set(url, { photo, crops });
      return photo;
    },
    /** Undefined when it expired after a crop, or its file was deleted or damaged. */
    async readOriginal(hash: string): Promise<Buffer | undefined> {
      const inMemory = originals.take(hash);
      if (inMemory) return inMemory;
      const read = await readAndTouch(originalPath(hash));
      return read && sha256(read) === hash ? read : undefined;
    },
    /** @param key contains everything that the crop depends on besides the photo */
    async findCrop({ url, hash }: PhotoOfUrl, key: string): Promise<Crop | undefined> {
      const record = await records.find(url);
      return record?.photo.hash === hash ? record.crops.get(key) : undefined;
    },
    async storeCrop(photoOfUrl: PhotoOfUrl, key: string, content: Buffer): Promise<Crop> {
      const { url, hash, widthPx, heightPx, freshUntil } = photoOfUrl;
      const crop = { hash: sha256(content), content };
      const known = records.recent.get(url);
      // The URL has returned another photo since, so crops of this one are not requested again.
      if (known && known.photo.hash !== hash) return crop;
      const crops = new Map([...(known?.crops ?? []), [key, crop] as const].slice(-maxCropsPerPhoto));
      await records.write(url, { photo: known?.photo ?? { hash, widthPx, heightPx, freshUntil }, crops });
      return crop;
    },
    /** Applies `maxBytes` and `maxAgeMs` to the folder; writing applies them, too. */
    prune: records.prune,
  };
}

/** Records by URL: those used last in memory, all of them on disk. */
function openRecords(folder: string, options: PhotoCacheOptions) {
  const { maxBytes = 2_000_000_000, maxAgeMs = Number.POSITIVE_INFINITY, maxMemoryBytes = 64_000_000 } = options;
  const recent = new LRUCache<string, PhotoRecord>({ maxSize: maxMemoryBytes, sizeCalculation: bytesOf });
  const pathOf = (url: string) => shardedPath(folder, 'photos', sha256(url));
  const prune = () => pruneFolder(folder, { maxBytes, maxAgeMs });
  // Earlier processes may have filled the folder, so the first write prunes.
  let bytesUntilPrune = 0;

  async function pruneIfDue(written: number): Promise<void> {
    bytesUntilPrune -= written;
    if (bytesUntilPrune > 0) return;
    // Concurrent writes need not prune as well.
    bytesUntilPrune = maxBytes * minPruneInterval;
    bytesUntilPrune = Math.max(bytesUntilPrune, (maxBytes - (await prune())) * ownShare);
  }

  /** A photo that was not written is cropped, or downloaded, once more. */
  async function pruneFullDisk(error: unknown): Promise<void> {
    if (!isDiskFull(error)) throw error;
    await prune();
  }

  return {
    recent,
    prune,
    pruneIfDue,
    pruneFullDisk,
    async find(url: string): Promise<PhotoRecord | undefined> {
      const known = recent.get(url);
      if (known) return known;
      const read = await readPhotoFile(pathOf(url));
      if (read) recent.set(url, read);
      return read;
    },
    async write(url: string, record: PhotoRecord): Promise<void> {
      recent.set(url, record);
      await writePhotoFile(pathOf(url), record).catch(pruneFullDisk);
      await pruneIfDue(bytesOf(record));
    },
  };
}

const bytesOf = ({ crops }: PhotoRecord): number =>
  [...crops.values()].reduce((sum, { content }) => sum + content.length, recordBytes);

const shardedPath = (folder: string, kind: string, name: string): string => join(folder, kind, name.slice(0, 2), name);

async function writePhotoFile(path: string, { photo, crops }: PhotoRecord): Promise<void> {
  const variants = [...crops].map(([key, { hash, content }]) => ({ key, hash, bytes: content.length }));
  const line = JSON.stringify({ photo, variants } satisfies FirstLine);
  await writeAtomically(path, Buffer.from(`${line}\n`), ...[...crops.values()].map(({ content }) => content));
}

/** @returns undefined when the file does not exist or is damaged; deletes a damaged file */
async function readPhotoFile(path: string): Promise<PhotoRecord | undefined> {
  const bytes = await readAndTouch(path);
  if (!bytes) return undefined;
  const headBytes = bytes.indexOf('\n') + 1;
  const { data } = FirstLine.safeParse(parseJson(bytes.toString('utf8', 0, headBytes)));
  const crops = data && cropsIn(bytes.subarray(headBytes), data.variants);
  if (data && crops) return { photo: data.photo, crops };
  await rm(path, { force: true });
  return undefined;
}

/** @returns undefined when a hash or the total length differs */
function cropsIn(contents: Buffer, listed: FirstLine['variants']): Map<string, Crop> | undefined {
  const crops = new Map<string, Crop>();
  let at = 0;
  for (const { key, hash, bytes } of listed) {
    const content = contents.subarray(at, at + bytes);
    if (sha256(content) !== hash) return undefined;
    crops.set(key, { hash, content });
    at += bytes;
  }
  return at === contents.length ? crops : undefined;
}
