/** Checks from a file's bytes whether it is a printable photo, and reads its shape; ignores file names and media types. */
import sharp from 'sharp';
import { describeNonImage, type ImageFormat, imageFormat } from '../../../core/values/image-format.ts';
import type { PhotoShape } from '../layout/photo-slot.ts';
import { type DecodeWithin, decodeWithin, type Encoding, exceededMegapixels, maxPixels } from './decode-memory.ts';
import { PhotoUnusable } from './photo-unusable.ts';

/** A smaller side means a tracking pixel or an icon, not a photo. */
const minSidePx = 32;

/** A photo that takes longer to decode is treated as an attack. */
export const decodeSeconds = 10;

export interface JpegHead {
  /** The decoder keeps the whole picture until the last scan. */
  isProgressive: boolean;
  /** As stored, before any EXIF rotation; absent in rare kinds of JPEG, whose size only the decoder knows. */
  frame: PhotoShape | undefined;
  /** EXIF may contain a rotation. */
  hasExif: boolean;
  /** Offset of the compressed image in bytes. */
  scanAt: number;
}

const jpegMarkers = { startOfScan: 0xda, exif: 0xe1, progressiveFrame: 0xc2 };

/** Sequential and progressive frames with Huffman coding, which cameras and web sites produce. */
const commonFrames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/**
 * @returns the shape after EXIF rotation; of an animation, that of the first frame
 * @throws PhotoUnusable when it cannot be printed
 */
export async function inspectPhoto(bytes: Buffer, within: DecodeWithin = decodeWithin): Promise<PhotoShape> {
  // Only these formats reach a decoder; SVG, PDF and the other formats of libvips never do.
  const encoding = encodingOf(bytes);
  const format = encoding === 'progressive-jpeg' ? 'jpeg' : encoding;
  const jpeg = format === 'jpeg' ? readJpegHead(bytes) : undefined;
  // Calling the decoder takes half a millisecond for each of the ten photos of a brochure.
  const shape = (jpeg?.hasExif ? undefined : jpeg?.frame) ?? (await readShape(bytes, format));
  checkSize(shape, encoding);
  // Nearly all photos are JPEG, and decoding one takes 6 to 20 ms: checking the end marker is enough.
  const isComplete =
    format === 'jpeg' ? hasJpegEnd(bytes, jpeg) : await within(shape, encoding, () => canBeDecoded(bytes, encoding));
  if (!isComplete) throw new PhotoUnusable('the photo is cut short or damaged');
  return shape;
}

/**
 * Reads the segments before the image data, without decoding (ITU-T T.81, B.1 and B.2.2).
 * @returns undefined when the file contains no image data
 */
export function readJpegHead(bytes: Buffer): JpegHead | undefined {
  let frame: JpegHead['frame'];
  let hasExif = false;
  let isProgressive = false;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const kind = bytes[at + 1] ?? 0;
    if (kind === jpegMarkers.startOfScan) return { frame, hasExif, isProgressive, scanAt: at };
    if (kind === jpegMarkers.exif) hasExif = true;
    if (kind === jpegMarkers.progressiveFrame) isProgressive = true;
    if (commonFrames.has(kind) && at + 9 <= bytes.length)
      frame = { heightPx: bytes.readUInt16BE(at + 5), widthPx: bytes.readUInt16BE(at + 7) };
    // Fill bytes may precede a marker; otherwise the segment contains its length.
    at += kind === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Whether an end-of-image marker follows the start of the scan; an earlier one belongs to an EXIF thumbnail. */
export function hasJpegEnd(bytes: Buffer, head = readJpegHead(bytes)): boolean {
  return head !== undefined && bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > head.scanAt;
}

function checkSize({ widthPx, heightPx }: PhotoShape, encoding: Encoding): void {
  const limit = exceededMegapixels({ widthPx, heightPx }, encoding);
  if (limit !== undefined) {
    const megapixels = Math.round((widthPx * heightPx) / 1_000_000);
    throw new PhotoUnusable(`the photo has ${megapixels} megapixels, more than ${limit}`);
  }
  if (Math.min(widthPx, heightPx) < minSidePx) {
    throw new PhotoUnusable(`the photo is too small to print (${widthPx} × ${heightPx} pixels)`);
  }
}

async function readShape(bytes: Buffer, format: ImageFormat): Promise<PhotoShape> {
  // Reads the header only. Without a pixel limit, so that `checkSize` can report the number of pixels.
  const image = sharp(bytes, { limitInputPixels: false });
  const metadata = await image.metadata().catch(() => undefined);
  if (metadata?.format !== (format === 'avif' ? 'heif' : format)) {
    throw new PhotoUnusable('the photo is cut short or damaged');
  }
  const { width, height } = metadata.autoOrient;
  return { widthPx: width, heightPx: height };
}

async function canBeDecoded(bytes: Buffer, encoding: Encoding): Promise<boolean> {
  const decoding = sharp(bytes, { failOn: 'truncated', limitInputPixels: maxPixels(encoding) })
    .resize(minSidePx)
    .timeout({ seconds: decodeSeconds })
    .raw()
    .toBuffer();
  return await decoding.then(Boolean, () => false);
}

/** How the picture is stored, from its first bytes. @throws PhotoUnusable when it is no photo */
export function encodingOf(bytes: Buffer): Encoding {
  const format = imageFormat(bytes);
  if (!format) throw new PhotoUnusable(describeNonImage(bytes));
  return format === 'jpeg' && readJpegHead(bytes)?.isProgressive ? 'progressive-jpeg' : format;
}
