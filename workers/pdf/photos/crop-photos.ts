/** Crops photos to the exact shape of their printed slots, as plain JPEG that the browser passes into the PDF unchanged. */
import sharp, { type JpegOptions, type Sharp } from 'sharp';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import type { PhotoShape, PhotoSlot } from '../layout/design.ts';
import { chooseCrop } from './choose-crop.ts';
import {
  downloadPhoto,
  type FetchedPhoto,
  type MissingPhoto,
  type PhotoSource,
  type StageOptions,
  toMissingPhoto,
} from './fetch-photos.ts';
import { decodeSeconds, maxMegapixels, PhotoUnusable } from './inspect-photo.ts';
import type { Crop } from './photo-file.ts';
import { type PhotoQuality, printQuality } from './photo-quality.ts';

// No photo is cropped twice, so libvips' operation cache only takes memory.
sharp.cache(false);
// Several photos are cropped at once; more threads per photo would only compete for the cores.
sharp.concurrency(1);

/** More than four gain nothing on 2 cores, and libuv has four threads. */
const maxConcurrentCrops = 4;

/**
 * mozjpeg would save 9 to 17% of the bytes at three times the time, optimised Huffman tables 2% at a seventh more. WebP
 * and PNG would be stored uncompressed in the PDF.
 */
const jpeg = { chromaSubsampling: '4:2:0', mozjpeg: false, optimiseCoding: false } as const;

/** Part of every crop's cache key: raise the number when `crop` changes. Another libvips may produce other bytes, too. */
export const cropVersion = `3/${sharp.versions.vips}`;

const mmPerInch = 25.4;
/** When less than this share of a side is cut away, the position does not matter: the centre is taken. */
const negligibleCut = 0.08;
/** Pixels of a scaled photo (36 MB) above which it is not decoded whole to choose the position: the centre is taken. */
const maxAnalysedPx = 12_000_000;

export interface CropOrder {
  photo: FetchedPhoto;
  slot: PhotoSlot;
  /** Default: print quality. */
  quality?: PhotoQuality;
}

export interface CroppedPhoto {
  ok: true;
  /** SHA-256 of `body` in hex; names the photo on the page. */
  hash: string;
  body: Buffer;
  widthPx: number;
  heightPx: number;
}

interface CropSize {
  widthPx: number;
  heightPx: number;
  crop: PhotoSlot['crop'];
  /** The whole photo at the same scale: larger than the crop in at most one direction. */
  whole: { widthPx: number; heightPx: number };
}

/**
 * Crops each photo to its slot; equal orders are cropped once.
 * @returns one result per order, in the same order; a damaged photo is reported as missing
 * @throws the signal's reason when aborted; disk errors
 */
export async function cropPhotos(
  orders: readonly CropOrder[],
  source: PhotoSource,
  { signal, onProgress }: StageOptions,
): Promise<(CroppedPhoto | MissingPhoto)[]> {
  const keyed = orders.map(order => ({ ...order, key: `${order.photo.hash}/${keyOf(order)}` }));
  const distinct = new Map(keyed.map(order => [order.key, order])).values();
  const options = { limit: maxConcurrentCrops, signal, onProgress };
  const cropped = await mapConcurrent(distinct, options, async order => {
    const result = await cropOne(order, source, signal);
    signal.throwIfAborted();
    return [order.key, result] as const;
  });
  const byKey = new Map(cropped);
  return keyed.flatMap(order => byKey.get(order.key) ?? []);
}

/** Rounded to the nearest pixel, at least one. */
export function pixelsOf(mm: number, dpi = printQuality.dpi): number {
  return Math.max(1, Math.round((mm / mmPerInch) * dpi));
}

/**
 * The slot's shape at `dpi`, or with as many pixels as the photo has: enlarging adds bytes but no detail, and the page
 * sets the printed size anyway.
 */
export function cropSize(slot: PhotoSlot, photo: PhotoShape, dpi = printQuality.dpi): CropSize {
  const width = pixelsOf(slot.widthMm, dpi);
  const height = pixelsOf(slot.heightMm, dpi);
  const available = Math.min(1, photo.widthPx / width, photo.heightPx / height);
  const widthPx = Math.max(1, Math.round(width * available));
  const heightPx = Math.max(1, Math.round(height * available));
  const scale = Math.max(widthPx / photo.widthPx, heightPx / photo.heightPx);
  const whole = {
    widthPx: Math.max(widthPx, Math.round(photo.widthPx * scale)),
    heightPx: Math.max(heightPx, Math.round(photo.heightPx * scale)),
  };
  const isCentred = cutShare(slot, photo) < negligibleCut || whole.widthPx * whole.heightPx > maxAnalysedPx;
  return { widthPx, heightPx, crop: isCentred ? 'centre' : slot.crop, whole };
}

/** The share of the photo's longer side that does not fit into the slot; 0 for the same shape. */
function cutShare(slot: PhotoSlot, photo: PhotoShape): number {
  const ratio = slot.widthMm / slot.heightMm / (photo.widthPx / photo.heightPx);
  return 1 - Math.min(ratio, 1 / ratio);
}

async function cropOne(order: CropOrder, source: PhotoSource, signal: AbortSignal) {
  try {
    const { hash, content } =
      (await source.cache.findCrop(order.photo, keyOf(order))) ?? (await cropAndStore(order, source, signal));
    const { widthPx, heightPx } = sizeOf(order);
    return { ok: true, hash, body: content, widthPx, heightPx } satisfies CroppedPhoto;
  } catch (error) {
    return toMissingPhoto(order.photo.url, error);
  }
}

async function cropAndStore(order: CropOrder, source: PhotoSource, signal: AbortSignal): Promise<Crop> {
  const { photo } = order;
  const bytes = await source.cache.readOriginal(photo.hash);
  if (bytes) return await source.cache.storeCrop(photo, keyOf(order), await crop(bytes, order));
  // The original expired after an earlier crop, or was deleted. The URL may answer with another photo now.
  const again = { ...order, photo: { ...photo, ...(await downloadPhoto(photo.url, source, signal)) } };
  const original = await source.cache.readOriginal(again.photo.hash);
  if (!original) throw new Error(`The photo cache lost ${again.photo.hash} right after storing it.`);
  return await source.cache.storeCrop(again.photo, keyOf(again), await crop(original, again));
}

/** @throws PhotoUnusable when the photo cannot be decoded */
async function crop(bytes: Buffer, order: CropOrder): Promise<Buffer> {
  const size = sizeOf(order);
  const options = { ...jpeg, quality: qualityOf(order).jpegQuality };
  try {
    return size.crop === 'attention'
      ? await cropBestPart(bytes, size, options)
      : await decoded(bytes, size, 'cover').jpeg(options).toBuffer();
  } catch (cause) {
    throw new PhotoUnusable('the photo is damaged', { cause });
  }
}

async function cropBestPart(
  bytes: Buffer,
  { widthPx, heightPx, whole }: CropSize,
  options: JpegOptions,
): Promise<Buffer> {
  const { data, info } = await decoded(bytes, whole, 'fill').raw().toBuffer({ resolveWithObject: true });
  const position = chooseCrop({ data, ...whole }, widthPx, heightPx);
  return await sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .extract({ ...position, width: widthPx, height: heightPx })
    .jpeg(options)
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

/** Everything the crop depends on besides the photo. */
function keyOf(order: CropOrder): string {
  const { widthPx, heightPx, crop } = sizeOf(order);
  return [cropVersion, `${widthPx}x${heightPx}`, crop, qualityOf(order).jpegQuality].join('/');
}

const qualityOf = ({ quality = printQuality }: CropOrder): PhotoQuality => quality;

const sizeOf = (order: CropOrder): CropSize => cropSize(order.slot, order.photo, qualityOf(order).dpi);
