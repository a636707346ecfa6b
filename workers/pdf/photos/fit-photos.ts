/** Cuts photos to the exact shape of their printed slots, as plain JPEG that the browser passes into the PDF unchanged. */
import sharp, { type Sharp } from 'sharp';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import type { PhotoSlot } from '../layout/design.ts';
import { chooseCrop } from './choose-crop.ts';
import { downloadPhoto, type PhotoSource } from './fetch-photo.ts';
import { asMissing, type HadPhoto, type MissingPhoto, type StageOptions } from './fetch-photos.ts';
import { type FitSize, fitSize } from './fit-size.ts';
import { decodeSeconds, maxMegapixels, PhotoUnusable } from './look-at-photo.ts';
import type { Variant } from './photo-file.ts';
import { type PhotoGrade, printGrade } from './photo-grade.ts';

// No photo is cut twice: what libvips would keep of the last ones is memory for nothing.
sharp.cache(false);
// Several photos are cut at once: more threads for one of them only get into each other's way.
sharp.concurrency(1);

/** Four at a time: no gain beyond on 2 cores, and libuv has four threads. */
const parallel = 4;

/**
 * mozjpeg would save 9 to 17% of the bytes at three times the time, tables of the photo's own 2% at a seventh more; WebP
 * or PNG would be stored raw in the PDF.
 */
const jpeg = { chromaSubsampling: '4:2:0', mozjpeg: false, optimiseCoding: false } as const;

/** Part of every variant's key: raise it when `cut` changes. A new libvips may give other bytes, too. */
export const recipe = `3/${sharp.versions.vips}`;

export interface FitOrder {
  photo: HadPhoto;
  slot: PhotoSlot;
  /** That of print unless given. */
  grade?: PhotoGrade;
}

export interface FittedPhoto {
  ok: true;
  /** sha256 of `body`, in hex: names the photo on the page. */
  hash: string;
  body: Buffer;
  widthPx: number;
  heightPx: number;
}

/**
 * Fits each photo to its slot; the same photo for the same slot is cut once.
 * @returns one answer for each order, in the order given; a photo that turns out damaged is told missing
 * @throws the signal's reason when aborted; errors of the disk
 */
export async function fitPhotos(
  orders: readonly FitOrder[],
  source: PhotoSource,
  { signal, onProgress }: StageOptions,
): Promise<(FittedPhoto | MissingPhoto)[]> {
  const wanted = orders.map(order => ({ ...order, key: `${order.photo.hash}/${keyOf(order)}` }));
  const distinct = [...new Map(wanted.map(order => [order.key, order])).values()];
  const fitted = await mapConcurrent(distinct, { limit: parallel, signal, onProgress }, async order => {
    const answer = await fitOne(order, source, signal);
    signal.throwIfAborted();
    return [order.key, answer] as const;
  });
  const byKey = new Map(fitted);
  return wanted.flatMap(order => byKey.get(order.key) ?? []);
}

async function fitOne(order: FitOrder, source: PhotoSource, signal: AbortSignal) {
  try {
    const { hash, content } =
      (await source.cache.fitted(order.photo, keyOf(order))) ?? (await cutAndKeep(order, source, signal));
    const { widthPx, heightPx } = sizeOf(order);
    return { ok: true, hash, body: content, widthPx, heightPx } satisfies FittedPhoto;
  } catch (error) {
    return asMissing(order.photo.url, error);
  }
}

async function cutAndKeep(order: FitOrder, source: PhotoSource, signal: AbortSignal): Promise<Variant> {
  const { photo } = order;
  const bytes = await source.cache.original(photo.hash);
  if (bytes) return await source.cache.keepFitted(photo, keyOf(order), await cut(bytes, order));
  // It was cropped for another slot some time ago, or deleted; what the URL gives now may be another photo.
  const again = { ...order, photo: { ...photo, ...(await downloadPhoto(photo.url, source, signal)) } };
  const original = await source.cache.original(again.photo.hash);
  if (!original) throw new Error(`the photo cache lost ${again.photo.hash} as soon as it was kept`);
  return await source.cache.keepFitted(again.photo, keyOf(again), await cut(original, again));
}

/** @throws PhotoUnusable when the photo cannot be decoded */
async function cut(bytes: Buffer, order: FitOrder): Promise<Buffer> {
  const size = sizeOf(order);
  const { quality } = gradeOf(order);
  try {
    return size.crop === 'attention'
      ? await cutWhereMostIs(bytes, size, quality)
      : await decoded(bytes, size, 'cover')
          .jpeg({ ...jpeg, quality })
          .toBuffer();
  } catch (cause) {
    throw new PhotoUnusable('the photo is damaged', { cause });
  }
}

/** Shrinks the whole photo, looks at it, and stores the part that is kept. */
async function cutWhereMostIs(bytes: Buffer, { widthPx, heightPx, whole }: FitSize, quality: number) {
  const { data, info } = await decoded(bytes, whole, 'fill').raw().toBuffer({ resolveWithObject: true });
  const place = chooseCrop({ data, ...whole }, widthPx, heightPx);
  return await sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .extract({ ...place, width: widthPx, height: heightPx })
    .jpeg({ ...jpeg, quality })
    .toBuffer();
}

/** Upright, without transparency, in sRGB, of this size. */
function decoded(bytes: Buffer, size: { widthPx: number; heightPx: number }, fit: 'cover' | 'fill'): Sharp {
  return sharp(bytes, { failOn: 'truncated', limitInputPixels: maxMegapixels * 1_000_000 })
    .autoOrient()
    .resize(size.widthPx, size.heightPx, { fit })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .timeout({ seconds: decodeSeconds });
}

/** Everything the cut depends on besides the photo. */
function keyOf(order: FitOrder): string {
  const { widthPx, heightPx, crop } = sizeOf(order);
  return [recipe, `${widthPx}x${heightPx}`, crop, gradeOf(order).quality].join('/');
}

const gradeOf = ({ grade = printGrade }: FitOrder): PhotoGrade => grade;

const sizeOf = (order: FitOrder): FitSize => fitSize(order.slot, order.photo, gradeOf(order).dpi);
