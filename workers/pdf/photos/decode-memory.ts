/** Bounds the memory of decoders: a small file may hold a picture that takes hundreds of megabytes when it is decoded. */
import os from 'node:os';
import { Semaphore } from 'async-mutex';
import type { ImageFormat } from '../../../core/values/image-format.ts';
import type { PhotoShape } from '../layout/photo-slot.ts';

export type Encoding = ImageFormat | 'progressive-jpeg';

/**
 * Maximum pixels in millions. Phones make 12 to 50, as JPEG; the decoder of AVIF takes six times the memory of others.
 */
const maxMegapixels: Readonly<Record<Encoding, number>> = {
  jpeg: 60,
  'progressive-jpeg': 50,
  png: 60,
  webp: 60,
  gif: 60,
  avif: 20,
};

/**
 * Bytes for each pixel while a picture is decoded. Measured with libvips 8.18: AVIF 19, GIF 6, progressive JPEG up to 14. The
 * others from what their decoders keep at worst: 16 bits of four channels, planes and the decoded picture.
 */
const bytesPerPixel: Readonly<Record<Encoding, number>> = {
  jpeg: 1,
  'progressive-jpeg': 14,
  png: 8,
  webp: 8,
  gif: 6,
  avif: 20,
};

/** A worker of brochures takes 220 to 430 MB besides its decoders. */
const share = 0.3;
const maxMegabytes = 600;

/** Megabytes for all decoders of this process: a share of the container's limit, if there is one. */
const capacity = Math.min(maxMegabytes, Math.ceil((share * memoryLimit()) / 1_000_000));
const memory = new Semaphore(capacity);

function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem();
}

/** @returns the limit in millions that the picture exceeds; undefined when it may be decoded */
export function exceededMegapixels({ widthPx, heightPx }: PhotoShape, encoding: Encoding): number | undefined {
  const limit = maxMegapixels[encoding];
  return widthPx * heightPx > limit * 1_000_000 ? limit : undefined;
}

/** The limit for libvips, which then refuses a picture whose header is not what it seemed. */
export const maxPixels = (encoding: Encoding): number => maxMegapixels[encoding] * 1_000_000;

/** Memory that a decoder takes, in megabytes. */
export const decodeMegabytes = ({ widthPx, heightPx }: PhotoShape, encoding: Encoding): number =>
  Math.ceil((widthPx * heightPx * bytesPerPixel[encoding]) / 1_000_000);

export type DecodeWithin = <T>(shape: PhotoShape, encoding: Encoding, decode: () => Promise<T>) => Promise<T>;

/** Decodes when enough memory is free; a picture that needs more than all of it waits for the others and runs alone. */
export const decodeWithin: DecodeWithin = async (shape, encoding, decode) =>
  await memory.runExclusive(decode, Math.min(decodeMegabytes(shape, encoding), capacity));
