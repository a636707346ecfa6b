/** What the photo library does on its own: cuts a listing's photos that lie in memory, in the sizes of the design "new". */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { perSecond } from './in-turns.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'sandbox', 'photos');
const photosOfSandbox = 24;
/** Pixels at 150 dpi. */
const hero = { width: 1_240, height: 709 };
const small = { width: 363, height: 242 };
const photosOfListing = [hero, ...Array.from({ length: 8 }, () => small)];
/** A thread for each photo under way: as many as bring anything on two cores. */
const atOnce = 4;

export interface BareCutting {
  /** @returns listings a second */
  cut(listings: number): Promise<number>;
}

export async function openBareCutting(): Promise<BareCutting> {
  sharp.cache(false);
  sharp.concurrency(1);
  const names = Array.from({ length: photosOfSandbox }, (_, index) => String(index + 1).padStart(2, '0'));
  const files = await Promise.all(names.map(name => readFile(path.join(folder, `${name}.jpg`))));
  return {
    async cut(listings) {
      const orders = Array.from({ length: listings }, (_, listing) =>
        photosOfListing.map((size, place) => ({
          size,
          file: files[(listing * photosOfListing.length + place) % files.length],
        })),
      ).flat();
      const rate = await perSecond(orders, atOnce, async ({ file, size }) => {
        await sharp(file).resize(size.width, size.height).jpeg({ quality: 75 }).toBuffer();
      });
      return rate / photosOfListing.length;
    },
  };
}
