/**
 * Photos kept on disk, so that an identical request needs no network and no cropping: the originals by content,
 * what each URL last gave, and the cropped variants. Several processes may share the folder, and any file in it may
 * be deleted at any time: what is missing or damaged is had again.
 */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { PhotoShape } from '../layout/design.ts';
import { pruneFolder } from './prune-folder.ts';
import { RecentBuffers } from './recent-buffers.ts';
import {
  readSealed,
  readTouched,
  sha256,
  undefinedIfMissing,
  writeSealed,
  writeWhole,
} from './sealed-file.ts';

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
}

/** A variant, ready for the page. */
export interface FittedFile {
  /** sha256 of `content`, in hex. */
  hash: string;
  content: Buffer;
}

export interface PhotoCache {
  /** What the URL gave, if that is still fresh and the original still there. */
  fresh(url: string): Promise<KeptPhoto | undefined>;
  /** Keeps a photo, and for `freshMs` that the URL gives it. */
  keep(url: string, bytes: Buffer, shape: PhotoShape, freshMs: number): Promise<KeptPhoto>;
  original(hash: string): Promise<Buffer | undefined>;
  /** @param key says everything the variant depends on */
  fitted(key: string): Promise<FittedFile | undefined>;
  keepFitted(key: string, content: Buffer): Promise<FittedFile>;
  /** Deletes what is too old or too much; what is written sees to the size by itself. */
  prune(): Promise<void>;
}

const Freshness = z.object({ hash: z.string(), widthPx: z.int(), heightPx: z.int(), freshUntil: z.number() });
type Freshness = z.infer<typeof Freshness>;

/** Every so much of the bound is written, the folder is pruned. */
const pruneEvery = 1 / 20;

export function openPhotoCache(folder: string, options: PhotoCacheOptions = {}): PhotoCache {
  const { maxBytes = 2_000_000_000, maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const inMemory = new RecentBuffers<FittedFile>(options.maxMemoryBytes ?? 64_000_000);
  const recentOriginals = new RecentBuffers<{ content: Buffer }>(maxOriginalsBytes);
  // The folder may be full from earlier runs, so the first write prunes.
  let unpruned = maxBytes;

  const inShard = (kind: string, name: string) => join(folder, kind, name.slice(0, 2), name);
  const originalPath = (hash: string) => inShard('originals', hash);
  const freshnessPath = (url: string) => inShard('urls', sha256(url));
  const fittedPath = (key: string) => inShard('fitted', sha256(key));

  async function pruneIfDue(written: number): Promise<void> {
    unpruned += written;
    if (unpruned < maxBytes * pruneEvery) return;
    unpruned = 0;
    await prune();
  }

  const prune = () => pruneFolder(folder, { maxBytes, maxAgeMs });

  return {
    async fresh(url) {
      const known = parseFreshness((await readSealed(freshnessPath(url)))?.content);
      if (!known || known.freshUntil <= Date.now()) return undefined;
      const there = await stat(originalPath(known.hash)).catch(undefinedIfMissing);
      return there && { hash: known.hash, widthPx: known.widthPx, heightPx: known.heightPx };
    },
    async keep(url, bytes, shape, freshMs) {
      const photo = { ...shape, hash: sha256(bytes) };
      await writeWhole(originalPath(photo.hash), bytes);
      recentOriginals.set(photo.hash, { content: bytes });
      const freshness: Freshness = { ...photo, freshUntil: Date.now() + freshMs };
      if (freshMs > 0) await writeSealed(freshnessPath(url), Buffer.from(JSON.stringify(freshness)));
      await pruneIfDue(bytes.length);
      return photo;
    },
    async original(hash) {
      const recent = recentOriginals.get(hash);
      if (recent) return recent.content;
      const bytes = await readTouched(originalPath(hash));
      if (bytes && sha256(bytes) === hash) return bytes;
      // A damaged file would go on counting as there.
      await rm(originalPath(hash), { force: true });
      return undefined;
    },
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
    prune,
  };
}

function parseFreshness(content: Buffer | undefined): Freshness | undefined {
  return content && Freshness.safeParse(JSON.parse(content.toString())).data;
}
