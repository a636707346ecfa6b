/** Tells from a file's bytes whether it is a photo that can be printed, and its shape; names and media types are not believed. */
import sharp, { type Metadata } from 'sharp';
import { type ImageFormat, imageFormat, whatElse } from '../../../core/image-format.ts';
import type { PhotoShape } from '../layout/design.ts';

/** A decoded photo takes 3 or 4 bytes a pixel: 60 megapixels are 240 MB at worst. Phones make 12 to 50. */
export const maxMegapixels = 60;

/** Less in either direction is a tracking pixel or an icon, not a photo. */
const minSidePx = 32;

/** A decoder that works longer on one photo is being attacked. */
export const decodeSeconds = 10;

/** The file cannot be printed as a photo; `message` is a public clause ("the file is a web page"). */
export class PhotoUnusable extends Error {
  override readonly name = 'PhotoUnusable';
}

/**
 * @returns the shape after EXIF rotation; of an animation, that of the first frame
 * @throws PhotoUnusable when it cannot be printed
 */
export async function lookAtPhoto(bytes: Buffer): Promise<PhotoShape> {
  // Only these reach a decoder: SVG, PDF and the rest of what libvips reads never do.
  const format = imageFormat(bytes);
  if (!format) throw new PhotoUnusable(whatElse(bytes));
  const { width, height } = await readShape(bytes, format);
  if (width * height > maxMegapixels * 1_000_000) {
    throw new PhotoUnusable(
      `the photo has ${Math.round((width * height) / 1_000_000)} megapixels, more than ${maxMegapixels}`,
    );
  }
  if (Math.min(width, height) < minSidePx) {
    throw new PhotoUnusable(`the photo is too small to print (${width} × ${height} pixels)`);
  }
  if (!(await isWhole(bytes, format))) throw new PhotoUnusable('the photo is cut short or damaged');
  return { widthPx: width, heightPx: height };
}

async function readShape(bytes: Buffer, format: ImageFormat): Promise<{ width: number; height: number }> {
  // Reading the header decodes nothing: the pixels are counted by us, to say how many there are.
  const metadata: Metadata | undefined = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  if (metadata?.format !== (format === 'avif' ? 'heif' : format)) {
    throw new PhotoUnusable('the photo is cut short or damaged');
  }
  return metadata.autoOrient;
}

/**
 * Nearly all photos are JPEG, and decoding one costs 6 to 20 ms: for them the end marker tells.
 * The other formats are decoded once.
 */
async function isWhole(bytes: Buffer, format: ImageFormat): Promise<boolean> {
  if (format === 'jpeg') return hasJpegEnd(bytes);
  return await sharp(bytes, { failOn: 'truncated', limitInputPixels: maxMegapixels * 1_000_000 })
    .resize(minSidePx)
    .timeout({ seconds: decodeSeconds })
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    );
}

/** Whether an end-of-image marker follows the start of the scan; one before it belongs to an EXIF thumbnail (ITU-T T.81, B.1). */
export function hasJpegEnd(bytes: Buffer): boolean {
  const startOfScan = 0xda;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== startOfScan) {
    // A marker may be preceded by fill bytes; otherwise its segment says how long it is.
    at += bytes[at + 1] === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return bytes[at + 1] === startOfScan && bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > at;
}
