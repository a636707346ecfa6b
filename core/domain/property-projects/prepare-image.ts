/**
 * Prepares an uploaded image for publication: checks its type by content, rotates it upright, removes metadata (place,
 * device) and reduces it to the system's maximum size. It is re-encoded, so that no other content remains in it.
 */
import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import type { Sharp } from 'sharp';
import { ServiceError } from '../../runtime/errors.ts';
import { imageFormat } from '../../values/image-format.ts';

/** Bounds memory: a decoded image takes 3 or 4 bytes per pixel. */
const maxMegapixels = 50;
/** Bounds the CPU time that a malicious image can take. */
const decodeSeconds = 20;
/** Tried in this order until the image is small enough. */
const steps = [
  { longestSidePx: 4_096, quality: 86 },
  { longestSidePx: 2_560, quality: 80 },
  { longestSidePx: 1_600, quality: 72 },
] as const;
/** Two images at once and 16 waiting; further uploads are rejected with a Retry-After. */
const slots = bulkhead(2, 16);

/**
 * Uses the first frame of an animation.
 * @throws ServiceError invalid-input; service-unavailable if too many images are waiting
 */
export async function prepareImage(bytes: Buffer, maxBytes: number) {
  // Other formats that sharp could decode, such as SVG and PDF, are rejected.
  if (!imageFormat(bytes)) throw unusable('is not an image; accepted are JPEG, PNG, WebP, AVIF and GIF');
  try {
    return await slots.execute(() => encode(bytes, maxBytes));
  } catch (error) {
    if (!(error instanceof BulkheadRejectedError)) throw error;
    throw new ServiceError('service-unavailable', 'Too many images are being uploaded; try again in 5 seconds.', {
      retryAfterSeconds: 5,
    });
  }
}

async function encode(bytes: Buffer, maxBytes: number) {
  // The API loads it with the first image.
  const { default: sharp } = await import('sharp');
  const { width, height, hasAlpha } = await sharp(bytes, { limitInputPixels: false }).metadata().catch(damaged);
  const megapixels = (width * height) / 1_000_000;
  if (megapixels > maxMegapixels) throw unusable(`has ${Math.ceil(megapixels)} megapixels, more than ${maxMegapixels}`);
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
  throw unusable('is too large, even after reducing it');
}

const inFormat = (image: Sharp, hasAlpha: boolean, quality: number): Sharp =>
  hasAlpha ? image.png({ compressionLevel: 9 }) : image.jpeg({ quality, progressive: true });

function damaged(cause: unknown): never {
  throw unusable('is truncated or damaged', cause);
}

const unusable = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('invalid-input', 'The file cannot be published as an image.', {
    faults: [{ pointer: '/file', detail }],
    ...(cause !== undefined && { cause }),
  });
