/**
 * Makes an uploaded image fit to be published: checked by its bytes, turned upright, freed of what it tells of its maker
 * (place, device), not larger than the system takes. It is encoded anew, so that nothing else hides in it.
 */
import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import sharp, { type Sharp } from 'sharp';
import { ServiceError } from '../../runtime/errors.ts';
import { imageFormat } from '../../values/image-format.ts';

export interface PreparedImage {
  bytes: Buffer;
  contentType: 'image/jpeg' | 'image/png';
  fileName: string;
  widthPx: number;
  heightPx: number;
}

/** A decoded image takes 3 or 4 bytes a pixel. */
const maxMegapixels = 50;
/** A decoder that works longer on one image is being attacked. */
const decodeSeconds = 20;
/** Tried one after the other until the image is small enough. */
const steps = [
  { longestSidePx: 4_096, quality: 86 },
  { longestSidePx: 2_560, quality: 80 },
  { longestSidePx: 1_600, quality: 72 },
] as const;
/** Images that are worked on at once, and that wait: the rest is told to come back. */
const lanes = bulkhead(2, 16);

/**
 * Of an animation, the first frame.
 * @param bytes as they came
 * @throws ServiceError invalid-input; service-unavailable when too many are worked on
 */
export async function prepareImage(bytes: Buffer, maxBytes: number): Promise<PreparedImage> {
  // Only these reach a decoder: SVG, PDF and others that sharp reads never do.
  if (!imageFormat(bytes)) throw unusable('is not an image: JPEG, PNG, WebP, AVIF and GIF are taken');
  try {
    return await lanes.execute(() => encode(bytes, maxBytes));
  } catch (error) {
    if (!(error instanceof BulkheadRejectedError)) throw error;
    throw new ServiceError(
      'service-unavailable',
      'Many images are being uploaded just now; try again shortly.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
}

async function encode(bytes: Buffer, maxBytes: number): Promise<PreparedImage> {
  const { width, height, hasAlpha } = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(damaged);
  const megapixels = (width * height) / 1_000_000;
  if (megapixels > maxMegapixels)
    throw unusable(`has ${Math.ceil(megapixels)} megapixels, more than ${maxMegapixels}`);
  for (const { longestSidePx, quality } of steps) {
    const fitted = sharp(bytes, { limitInputPixels: maxMegapixels * 1_000_000, failOn: 'truncated' })
      .timeout({ seconds: decodeSeconds })
      .autoOrient()
      .resize({ width: longestSidePx, height: longestSidePx, fit: 'inside', withoutEnlargement: true });
    const { data, info } = await inFormat(fitted, hasAlpha, quality)
      .toBuffer({ resolveWithObject: true })
      .catch(damaged);
    if (data.length > maxBytes) continue;
    return {
      bytes: data,
      contentType: hasAlpha ? 'image/png' : 'image/jpeg',
      fileName: hasAlpha ? 'image.png' : 'image.jpg',
      widthPx: info.width,
      heightPx: info.height,
    };
  }
  throw unusable('is too large, also when it is made smaller');
}

const inFormat = (image: Sharp, hasAlpha: boolean, quality: number): Sharp =>
  hasAlpha ? image.png({ compressionLevel: 9 }) : image.jpeg({ quality, progressive: true });

function damaged(cause: unknown): never {
  throw unusable('is cut short or damaged', cause);
}

const unusable = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('invalid-input', 'The file cannot be published as an image.', {
    faults: [{ pointer: '/file', detail }],
    ...(cause !== undefined && { cause }),
  });
