/** Crops photos to the exact shape of their printed slots, as plain JPEG that the browser passes into the PDF unchanged. */
import sharp, { type Sharp } from 'sharp';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import { imageFormat } from '../../../core/values/image-format.ts';
import type { PhotoShape, PhotoSlot } from '../layout/photo-slot.ts';
import { sha256 } from './atomic-file.ts';
import { chooseCrop } from './choose-crop.ts';
import { type DecodeWithin, decodeWithin, type Encoding, maxPixels } from './decode-memory.ts';
import {
  downloadPhoto,
  type FetchedPhoto,
  type MissingPhoto,
  type PhotoSource,
  type StageOptions,
  toMissingPhoto,
} from './fetch-photos.ts';
import { decodeSeconds, encodingOf } from './inspect-photo.ts';
import type { Crop } from './photo-cache.ts';
import { type PhotoQuality, screenQuality } from './photo-quality.ts';
import { PhotoUnusable } from './photo-unusable.ts';

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
export const cropVersion = `4/${sharp.versions.vips}`;

const mmPerInch = 25.4;
/** Small text of a floor plan or map blurs earlier than a photo: a factor, and points of JPEG quality. */
const drawingDetail = { dpi: 4 / 3, jpegQuality: 13 } as const;
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

interface DecodeOptions {
  encoding: Encoding;
  failOn: 'warning' | 'truncated';
}

/** How to crop one photo. */
type CropPlan = ReturnType<typeof planOf>;

/**
 * Crops each photo to its slot; equal orders are cropped once.
 * @returns one result per order, in the same order, with the crop as `body` and its SHA-256 as `hash`; a damaged photo is
 * reported as missing
 * @throws the signal's reason when aborted; disk errors
 */
export async function cropPhotos(
  orders: readonly CropOrder[],
  source: PhotoSource,
  { signal, onProgress }: StageOptions,
): Promise<(Awaited<ReturnType<typeof cropOne>> | MissingPhoto)[]> {
  const keyed = orders.map(order => ({ order, key: cropId(order) }));
  const distinct = new Map(keyed.map(each => [each.key, each])).values();
  const options = { limit: maxConcurrentCrops, signal, onProgress };
  const cropped = await mapConcurrent(distinct, options, async ({ order, key }) => {
    const result = await cropOne(order, source, signal).catch((error: unknown) => {
      const missing = toMissingPhoto(order.photo.url, error);
      source.job?.unusable.set(missing.url, missing);
      return missing;
    });
    signal.throwIfAborted();
    return [key, result] as const;
  });
  const byKey = new Map(cropped);
  return keyed.flatMap(({ key }) => byKey.get(key) ?? []);
}

/** SHA-256 in hex of everything that the crop depends on; known before the photo is cropped. */
export const cropId = (order: CropOrder): string => sha256(`${order.photo.hash}/${planOf(order).key}`);

/** Rounded to the nearest pixel, at least one. */
export function pixelsOf(mm: number, dpi = screenQuality.dpi): number {
  return Math.max(1, Math.round((mm / mmPerInch) * dpi));
}

/**
 * The slot's shape at `dpi`, or with as many pixels as the photo has: enlarging adds bytes but no detail, and the page
 * sets the printed size anyway.
 */
export function cropSize(slot: PhotoSlot, photo: PhotoShape, dpi = screenQuality.dpi) {
  const width = pixelsOf(slot.widthMm, dpi);
  const height = pixelsOf(slot.heightMm, dpi);
  const available = Math.min(1, photo.widthPx / width, photo.heightPx / height);
  const widthPx = Math.max(1, Math.round(width * available));
  const heightPx = Math.max(1, Math.round(height * available));
  const scale = Math.max(widthPx / photo.widthPx, heightPx / photo.heightPx);
  /** The whole photo at the same scale: larger than the crop in at most one direction. */
  const whole = {
    widthPx: Math.max(widthPx, Math.round(photo.widthPx * scale)),
    heightPx: Math.max(heightPx, Math.round(photo.heightPx * scale)),
  };
  const ratio = slot.widthMm / slot.heightMm / (photo.widthPx / photo.heightPx);
  const cutShare = 1 - Math.min(ratio, 1 / ratio);
  const isCentred = cutShare < negligibleCut || whole.widthPx * whole.heightPx > maxAnalysedPx;
  return { widthPx, heightPx, crop: isCentred ? 'centre' : slot.crop, whole };
}

/** `key` contains everything that the crop depends on besides the photo. */
function planOf({ slot, photo, quality = screenQuality }: CropOrder) {
  const dpi = slot.isDrawing ? quality.dpi * drawingDetail.dpi : quality.dpi;
  const jpegQuality = quality.jpegQuality + (slot.isDrawing ? drawingDetail.jpegQuality : 0);
  const size = cropSize(slot, photo, dpi);
  const key = [cropVersion, `${size.widthPx}x${size.heightPx}`, size.crop, jpegQuality].join('/');
  return { ...size, key, jpeg: { ...jpeg, quality: jpegQuality } };
}

/** @throws EgressError or PhotoUnusable when the photo is missing */
async function cropOne(order: CropOrder, source: PhotoSource, signal: AbortSignal) {
  const { key, widthPx, heightPx } = planOf(order);
  const { hash, content } =
    (await source.cache.findCrop(order.photo, key)) ?? (await cropAndStore(order, source, signal));
  return { ok: true, hash, body: content, widthPx, heightPx } as const;
}

async function cropAndStore(order: CropOrder, source: PhotoSource, signal: AbortSignal): Promise<Crop> {
  const { photo } = order;
  const within = source.job?.decodeWithin(photo.url);
  const store = async (one: CropOrder, original: Buffer) =>
    await source.cache.storeCrop(one.photo, planOf(one).key, await crop(original, one, within));
  const bytes = await source.cache.readOriginal(photo.hash);
  if (bytes) return await store(order, bytes);
  // The original expired after an earlier crop, or was deleted. The URL may answer with another photo now.
  const again = { ...order, photo: { ...photo, ...(await downloadPhoto(photo.url, source, signal)) } };
  const original = await source.cache.readOriginal(again.photo.hash);
  if (!original) throw new Error(`The photo cache lost ${again.photo.hash} right after storing it.`);
  return await store(again, original);
}

/**
 * libjpeg only warns of image data that end before their end marker, as of harmless irregularities. So a warning ends the
 * first try. The second one ignores warnings but has no end marker, so that such data are truncated: an error.
 * @throws PhotoUnusable when the photo cannot be decoded
 */
async function crop(bytes: Buffer, order: CropOrder, within: DecodeWithin = decodeWithin): Promise<Buffer> {
  const plan = planOf(order);
  const encoding = encodingOf(bytes);
  const isJpeg = imageFormat(bytes) === 'jpeg';
  const decode = () =>
    tryCrop(bytes, plan, { encoding, failOn: isJpeg ? 'warning' : 'truncated' })
      .catch((error: unknown) => {
        if (!isJpeg) throw error;
        return tryCrop(withoutEndMarker(bytes), plan, { encoding, failOn: 'truncated' });
      })
      .catch((cause: unknown) => {
        throw new PhotoUnusable('the photo is damaged', { cause });
      });
  return await within(order.photo, encoding, decode);
}

/** With bytes that the decoder may read ahead. */
const withoutEndMarker = (jpeg: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, jpeg.lastIndexOf('\xff\xd9', undefined, 'latin1')), Buffer.alloc(16)]);

async function tryCrop(
  bytes: Buffer,
  { widthPx, heightPx, whole, crop: part, jpeg: options }: CropPlan,
  input: DecodeOptions,
) {
  if (part === 'centre') return await decoded(bytes, { widthPx, heightPx }, 'cover', input).jpeg(options).toBuffer();
  const { data, info } = await decoded(bytes, whole, 'fill', input).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return await sharp(data, { raw: { width, height, channels } })
    .extract({ ...chooseCrop({ data, ...whole }, widthPx, heightPx), width: widthPx, height: heightPx })
    .jpeg(options)
    .toBuffer();
}

/** Upright, without transparency, in sRGB, of this size. */
function decoded(bytes: Buffer, size: PhotoShape, fit: 'cover' | 'fill', { encoding, failOn }: DecodeOptions): Sharp {
  return sharp(bytes, { failOn, limitInputPixels: maxPixels(encoding) })
    .autoOrient()
    .resize(size.widthPx, size.heightPx, { fit })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .timeout({ seconds: decodeSeconds });
}
