/** How bright a photo is where the pages print white words on it. */
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { decodeWithin, maxPixels } from './decode-memory.ts';
import type { FetchedPhoto, PhotoSource } from './fetch-photos.ts';
import { encodingOf } from './inspect-photo.ts';

/** Cells along each side, whose mean colours are measured. */
const cells = 12;

/** Cells under the brand and under the title, and the relative luminance (WCAG 2.2) above which they need more shade. */
const parts = {
  top: { rows: [0, 1], columns: [0, 4], maxLuminance: 0.4 },
  bottom: { rows: [8, 11], columns: [0, 8], maxLuminance: 0.65 },
} as const;

/** By hash of the photo and direction of the page: decoding it takes some milliseconds. */
const measured = new LRUCache<string, BrightParts>({ max: 5_000 });

export interface BrightParts {
  top: boolean;
  bottom: boolean;
}

/** @returns undefined when the photo cannot be decoded, which its crop reports */
export async function measureBrightness(
  photo: FetchedPhoto,
  source: PhotoSource,
  isRightToLeft = false,
): Promise<BrightParts | undefined> {
  const key = `${photo.hash}/${isRightToLeft}`;
  const known = measured.get(key);
  if (known) return known;
  const bytes = await source.cache.readOriginal(photo.hash);
  if (!bytes) return undefined;
  const encoding = encodingOf(bytes);
  const within = source.job?.decodeWithin(photo.url) ?? decodeWithin;
  const pixels = await within(photo, encoding, () =>
    sharp(bytes, { failOn: 'none', limitInputPixels: maxPixels(encoding) })
      .autoOrient()
      .resize(cells, cells, { fit: 'fill' })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer(),
  ).catch(() => undefined);
  if (pixels === undefined) return undefined;
  const isBright = ({ rows, columns, maxLuminance }: (typeof parts)[keyof typeof parts]) => {
    for (let row: number = rows[0]; row <= rows[1]; row++) {
      for (let column: number = columns[0]; column <= columns[1]; column++) {
        const [red = 0, green = 0, blue = 0] = pixels.subarray(
          (row * cells + (isRightToLeft ? cells - 1 - column : column)) * 3,
        );
        if (luminanceOf(red, green, blue) > maxLuminance) return true;
      }
    }
    return false;
  };
  const bright = { top: isBright(parts.top), bottom: isBright(parts.bottom) };
  measured.set(key, bright);
  return bright;
}

/** The luminance of a colour in sRGB, 0 to 255. */
function luminanceOf(...colour: [red: number, green: number, blue: number]): number {
  const [red = 0, green = 0, blue = 0] = colour.map(value => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
