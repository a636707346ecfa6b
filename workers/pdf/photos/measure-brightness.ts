/** How bright photos are where the pages print white words on them. */
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { decodeWithin, maxPixels } from './decode-memory.ts';
import type { FetchedPhoto, PhotoSource } from './fetch-photos.ts';
import { encodingOf } from './inspect-photo.ts';

/** Cells along each side, whose mean colours are measured. */
const cells = 24;

/** How far words reach from the edge of a slot, and the relative luminance (WCAG 2.2) above which they need more shade. */
const parts = {
  top: { mm: 24, maxLuminance: 0.25 },
  bottom: { mm: 90, maxLuminance: 0.65 },
} as const;

/** The highest luminance in each row of cells by hash of the photo: decoding it takes some milliseconds. */
const measured = new LRUCache<string, readonly number[]>({ max: 5_000 });

export interface BrightParts {
  top: boolean;
  bottom: boolean;
}

export interface ShownPhoto {
  photo: FetchedPhoto;
  slot: { widthMm: number; heightMm: number };
}

/** @returns the parts that may be bright in any of the slots; a photo that cannot be decoded, which its crop reports, has none */
export async function measureBrightness(shown: readonly ShownPhoto[], source: PhotoSource): Promise<BrightParts> {
  const bright = { top: false, bottom: false };
  for (const { photo, slot } of shown) {
    const rows = await luminancesOf(photo, source);
    /** The share of the height that the crop cuts away, at an edge that is not known yet. */
    const cut = Math.max(0, 1 - (photo.widthPx * slot.heightMm) / (photo.heightPx * slot.widthMm));
    const reach = (mm: number) => Math.ceil(cells * (cut + (1 - cut) * Math.min(1, mm / slot.heightMm)));
    bright.top ||= Math.max(0, ...rows.slice(0, reach(parts.top.mm))) > parts.top.maxLuminance;
    bright.bottom ||= Math.max(0, ...rows.slice(-reach(parts.bottom.mm))) > parts.bottom.maxLuminance;
  }
  return bright;
}

async function luminancesOf(photo: FetchedPhoto, source: PhotoSource): Promise<readonly number[]> {
  const known = measured.get(photo.hash);
  if (known) return known;
  const bytes = await source.cache.readOriginal(photo.hash);
  if (!bytes) return [];
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
  if (pixels === undefined) return [];
  const rows = Array.from({ length: cells }, (_, row) => {
    const luminances = Array.from({ length: cells }, (_, column) => {
      const [red = 0, green = 0, blue = 0] = pixels.subarray((row * cells + column) * 3);
      return luminanceOf(red, green, blue);
    });
    return Math.max(...luminances);
  });
  measured.set(photo.hash, rows);
  return rows;
}

/** The luminance of a colour in sRGB, 0 to 255. */
export function luminanceOf(...colour: [red: number, green: number, blue: number]): number {
  const [red = 0, green = 0, blue = 0] = colour.map(value => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
