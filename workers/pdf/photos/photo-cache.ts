/**
 * Photos kept on disk, so that an identical request needs no network and no cropping: what each URL last gave, and the
 * cropped variants. Several processes may share the folder, and any file in it may be deleted at any time: what is
 * missing or damaged is had again.
 */
import { join } from 'node:path';
import type { PhotoShape } from '../layout/design.ts';
import { readAbout, readOriginal, writeOriginal } from './original-file.ts';
import { pruneFolder } from './prune-folder.ts';
import { RecentBuffers } from './recent-buffers.ts';
import { readSealed, sha256, writeSealed } from './sealed-file.ts';

export interface PhotoCacheOptions {
  /** On disk; 2 GB unless given. */
  maxBytes?: number;
  /** Since a file was last read; any unless given. */
  maxAgeMs?: number;
  /** Of cropped variants in memory; 64 MB (about 1,500 of them) unless given. */
  maxMemoryBytes?: number;
}

/** Of originals in memory: those of a few listings, which are cut as soon as they are there. */
const maxOriginalsBytes = 16_000_000;

/** A photo whose original is in the cache. */
export interface KeptPhoto extends PhotoShape {
  /** sha256 of the original's bytes, in hex. */
  hash: string;
  /** Until then its URL is taken to give the same photo; milliseconds since 1970. */
  freshUntil: number;
}

/** A variant, ready for the page. */
export interface FittedFile {
  /** sha256 of `content`, in hex. */
  hash: string;
  content: Buffer;
}

export interface PhotoCache {
  /** What the URL gave, if that is still fresh. */
  fresh(url: string): Promise<KeptPhoto | undefined>;
  /** Keeps a photo, and for `freshMs` that the URL gives it. */
  keep(url: string, bytes: Buffer, shape: PhotoShape, freshMs: number): Promise<KeptPhoto>;
  /** The photo's bytes; undefined when the URL has given another one since, or the file was deleted. */
  original(url: string, hash: string): Promise<Buffer | undefined>;
  /** @param key says everything the variant depends on */
  fitted(key: string): Promise<FittedFile | undefined>;
  keepFitted(key: string, content: Buffer): Promise<FittedFile>;
  /** Deletes what is too old or too much; what is written sees to the size by itself. */
  prune(): Promise<void>;
}

/** Looking through a full folder takes a second: after so much of its room was written, at the soonest. */
const pruneAtSoonest = 1 / 20;
/** Of the room that was left: other processes write into it too. */
const ownShare = 1 / 3;

export function openPhotoCache(folder: string, options: PhotoCacheOptions = {}): PhotoCache {
  const { maxBytes = 2_000_000_000, maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const inMemory = new RecentBuffers<FittedFile>(options.maxMemoryBytes ?? 64_000_000);
  const recentOriginals = new RecentBuffers<{ content: Buffer }>(maxOriginalsBytes);
  // The folder may be full from earlier runs, so the first write prunes.
  let writable = 0;

  const inShard = (kind: string, name: string) => join(folder, kind, name.slice(0, 2), name);
  const originalPath = (url: string) => inShard('originals', sha256(url));
  const fittedPath = (key: string) => inShard('fitted', sha256(key));

  async function pruneIfDue(written: number): Promise<void> {
    writable -= written;
    if (writable > 0) return;
    // Photos that come meanwhile need not do it too.
    writable = maxBytes * pruneAtSoonest;
    const left = await pruneFolder(folder, { maxBytes, maxAgeMs });
    writable = Math.max(maxBytes * pruneAtSoonest, (maxBytes - left) * ownShare);
  }

  return {
    async fresh(url) {
      const known = await readAbout(originalPath(url));
      return known && known.freshUntil > Date.now() ? known : undefined;
    },
    async keep(url, bytes, shape, freshMs) {
      const photo = { ...shape, hash: sha256(bytes), freshUntil: Date.now() + freshMs };
      await writeOriginal(originalPath(url), photo, bytes);
      recentOriginals.set(photo.hash, { content: bytes });
      await pruneIfDue(bytes.length);
      return photo;
    },
    original: async (url, hash) =>
      recentOriginals.get(hash)?.content ?? (await readOriginal(originalPath(url), hash)),
    async fitted(key) {
      const found = inMemory.get(key) ?? (await readSealed(fittedPath(key)));
      if (found) inMemory.set(key, found);
      return found;
    },
    async keepFitted(key, content) {
      const fitted = { content, ...(await writeSealed(fittedPath(key), content)) };
      inMemory.set(key, fitted);
      await pruneIfDue(content.length);
      return fitted;
    },
    async prune() {
      await pruneFolder(folder, { maxBytes, maxAgeMs });
    },
  };
}
