/**
 * Photos cropped to their slots, kept so that an identical request needs no network and no cropping: in memory, and on
 * disk as one file for each URL. The photos themselves are kept until they are cropped. Several processes may share the
 * folder, and any file in it may be deleted at any time: what is missing or damaged is had again.
 */
import { join } from 'node:path';
import type { PhotoShape } from '../layout/design.ts';
import { HeldOriginals } from './held-originals.ts';
import {
  type KeptPhoto,
  type PhotoRecord,
  readPhotoFile,
  type Variant,
  writePhotoFile,
} from './photo-file.ts';
import { pruneFolder } from './prune-folder.ts';
import { RecentValues } from './recent-values.ts';
import { readTouched, sha256, wholeFile, writeWhole } from './sealed-file.ts';

export interface PhotoCacheOptions {
  /** On disk; 2 GB unless given. */
  maxBytes?: number;
  /** Since a file was last read; any unless given. */
  maxAgeMs?: number;
  /** Of cropped variants in memory; 64 MB (about 1,500 of them) unless given. */
  maxMemoryBytes?: number;
  /** Of photos in memory that wait to be cropped, those of some 30 listings; 96 MB unless given. More go to the disk. */
  maxHeldBytes?: number;
}

/** A photo that an URL gave. */
export interface PhotoOfUrl extends KeptPhoto {
  url: string;
}

export interface PhotoCache {
  /** What the URL gave, if that is still fresh. */
  fresh(url: string): Promise<KeptPhoto | undefined>;
  /** Keeps a photo until it is cropped, and for `freshMs` that the URL gives it. */
  keep(url: string, bytes: Buffer, shape: PhotoShape, freshMs: number): Promise<KeptPhoto>;
  /** The photo's bytes; undefined when it was cropped some time ago, or its file was deleted or damaged. */
  original(hash: string): Promise<Buffer | undefined>;
  /** @param key says everything the variant depends on besides the photo */
  fitted(photo: PhotoOfUrl, key: string): Promise<Variant | undefined>;
  keepFitted(photo: PhotoOfUrl, key: string, content: Buffer): Promise<Variant>;
  /** Deletes what is too old or too much; what is written sees to the size by itself. */
  prune(): Promise<void>;
}

/** Looking through a full folder takes a second: after so much of its room was written, at the soonest. */
const pruneAtSoonest = 1 / 20;
/** Of the room that was left: other processes write into it too. */
const ownShare = 1 / 3;

/** Of one photo, the newest: both designs, the preview and some coarser grades. Those of older recipes go. */
const mostVariants = 8;

/** What a record takes besides its variants. */
const recordBytes = 500;

const bytesOf = ({ variants }: PhotoRecord): number =>
  [...variants.values()].reduce((sum, { content }) => sum + content.length, recordBytes);

export function openPhotoCache(folder: string, options: PhotoCacheOptions = {}): PhotoCache {
  const { maxBytes = 2_000_000_000, maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const recent = new RecentValues<PhotoRecord>(options.maxMemoryBytes ?? 64_000_000, bytesOf);
  const held = new HeldOriginals(options.maxHeldBytes ?? 96_000_000);
  // The folder may be full from earlier runs, so the first write prunes.
  let writable = 0;

  const inShard = (kind: string, name: string) => join(folder, kind, name.slice(0, 2), name);
  const recordPath = (url: string) => inShard('photos', sha256(url));
  const originalPath = (hash: string) => inShard('waiting', hash);

  async function pruneIfDue(written: number): Promise<void> {
    writable -= written;
    if (writable > 0) return;
    // Photos that come meanwhile need not do it too.
    writable = maxBytes * pruneAtSoonest;
    const left = await pruneFolder(folder, { maxBytes, maxAgeMs });
    writable = Math.max(maxBytes * pruneAtSoonest, (maxBytes - left) * ownShare);
  }

  async function recordOf(url: string): Promise<PhotoRecord | undefined> {
    const known = recent.get(url);
    if (known) return known;
    const read = await readPhotoFile(recordPath(url));
    if (read) recent.set(url, read);
    return read;
  }

  async function write(url: string, record: PhotoRecord): Promise<void> {
    recent.set(url, record);
    await writePhotoFile(recordPath(url), record);
    await pruneIfDue(bytesOf(record));
  }

  return {
    async fresh(url) {
      const record = await recordOf(url);
      return record && record.photo.freshUntil > Date.now() ? record.photo : undefined;
    },
    async keep(url, bytes, shape, freshMs) {
      const { widthPx, heightPx } = shape;
      const photo = { hash: sha256(bytes), widthPx, heightPx, freshUntil: Date.now() + freshMs };
      if (!held.hold(photo.hash, bytes)) {
        await writeWhole(originalPath(photo.hash), bytes);
        await pruneIfDue(bytes.length);
      }
      const known = await recordOf(url);
      const variants: PhotoRecord['variants'] =
        known?.photo.hash === photo.hash ? known.variants : new Map<string, Variant>();
      // Without a variant there is no file yet: it would be written again for the first one, in a moment.
      if (variants.size > 0) await write(url, { photo, variants });
      else recent.set(url, { photo, variants });
      return photo;
    },
    async original(hash) {
      const waiting = held.take(hash);
      if (waiting) return waiting;
      const read = await readTouched(originalPath(hash), wholeFile);
      return read && sha256(read) === hash ? read : undefined;
    },
    async fitted({ url, hash }, key) {
      const record = await recordOf(url);
      return record?.photo.hash === hash ? record.variants.get(key) : undefined;
    },
    async keepFitted({ url, hash, widthPx, heightPx, freshUntil }, key, content) {
      const variant = { hash: sha256(content), content };
      const known = recent.get(url);
      // When the URL has given another photo since, nobody will ask for a variant of this one.
      if (known && known.photo.hash !== hash) return variant;
      const variants = new Map([...(known?.variants ?? []), [key, variant] as const].slice(-mostVariants));
      await write(url, { photo: known?.photo ?? { hash, widthPx, heightPx, freshUntil }, variants });
      return variant;
    },
    async prune() {
      await pruneFolder(folder, { maxBytes, maxAgeMs });
    },
  };
}
