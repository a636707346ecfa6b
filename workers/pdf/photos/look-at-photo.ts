/** Tells from a file's bytes whether it is a photo that can be printed, and its shape; names and media types are not believed. */
import sharp, { type Metadata } from 'sharp';
import { type ImageFormat, imageFormat, whatElse } from '../../../core/values/image-format.ts';
import type { PhotoShape } from '../layout/design.ts';
import { hasJpegEnd, type JpegHead, readJpegHead } from './jpeg-head.ts';

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
  const jpeg = format === 'jpeg' ? readJpegHead(bytes) : undefined;
  const shape = (jpeg && plainShape(jpeg)) ?? (await readShape(bytes, format));
  refuseSize(shape);
  // Nearly all photos are JPEG, and decoding one costs 6 to 20 ms: for them the end marker tells.
  const isWhole = format === 'jpeg' ? hasJpegEnd(bytes, jpeg) : await canBeDecoded(bytes);
  if (!isWhole) throw new PhotoUnusable('the photo is cut short or damaged');
  return shape;
}

/** Of a JPEG that nothing can turn: asking the decoder costs half a millisecond, and ten are on a brochure. */
const plainShape = ({ frame, hasExif }: JpegHead): PhotoShape | undefined => (hasExif ? undefined : frame);

function refuseSize({ widthPx, heightPx }: PhotoShape): void {
  const megapixels = (widthPx * heightPx) / 1_000_000;
  if (megapixels > maxMegapixels) {
    throw new PhotoUnusable(`the photo has ${Math.round(megapixels)} megapixels, more than ${maxMegapixels}`);
  }
  if (Math.min(widthPx, heightPx) < minSidePx) {
    throw new PhotoUnusable(`the photo is too small to print (${widthPx} × ${heightPx} pixels)`);
  }
}

async function readShape(bytes: Buffer, format: ImageFormat): Promise<PhotoShape> {
  // Reading the header decodes nothing: the pixels are counted by us, to say how many there are.
  const metadata: Metadata | undefined = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  if (metadata?.format !== (format === 'avif' ? 'heif' : format)) {
    throw new PhotoUnusable('the photo is cut short or damaged');
  }
  const { width, height } = metadata.autoOrient;
  return { widthPx: width, heightPx: height };
}

async function canBeDecoded(bytes: Buffer): Promise<boolean> {
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
