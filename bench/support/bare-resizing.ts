/** Baseline: sharp resizes in-memory photos to the sizes of the design "new". */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { itemsPerSecond } from './measure.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'sandbox', 'photos');
const photosOfSandbox = 24;
/** Pixels at 150 dpi of the nine photos of a listing. */
const hero = { width: 1_240, height: 1_013 };
const wide = { width: 617, height: 420 };
const medium = { width: 409, height: 272 };
const small = { width: 305, height: 207 };
const photosOfListing = [hero, wide, small, small, small, small, medium, medium, medium];
/** Concurrent photos, one thread each; more do not help on two cores. */
const concurrency = 4;

export interface BareResizing {
  /** @returns listings per second */
  resize(listings: number): Promise<number>;
}

export async function openBareResizing(): Promise<BareResizing> {
  sharp.cache(false);
  sharp.concurrency(1);
  const names = Array.from({ length: photosOfSandbox }, (_, index) => String(index + 1).padStart(2, '0'));
  const files = await Promise.all(names.map(name => readFile(path.join(folder, `${name}.jpg`))));
  return {
    async resize(listings) {
      const photos = Array.from({ length: listings }, (_, listing) =>
        photosOfListing.map((size, index) => ({
          size,
          file: files[(listing * photosOfListing.length + index) % files.length],
        })),
      ).flat();
      const rate = await itemsPerSecond(photos, concurrency, async ({ file, size }) => {
        await sharp(file).resize(size.width, size.height).jpeg({ quality: 75 }).toBuffer();
      });
      return rate / photosOfListing.length;
    },
  };
}
