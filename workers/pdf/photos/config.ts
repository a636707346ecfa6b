/** How much of the photos a worker's machine keeps, and for how long. */
import { z } from 'zod';
import { wholeNumber } from '../../../core/runtime/config.ts';

export const PhotoCacheConfig = z.object({
  PHOTO_CACHE_MB: wholeNumber(10, 10_000_000)
    .default(2_000)
    .describe('Size in MB of the photos and crops that each worker’s machine keeps in DATA_DIR.'),
  PHOTO_CACHE_DAYS: wholeNumber(1, 3_650)
    .default(30)
    .describe('How long a photo is kept there after it was last printed.'),
});
export type PhotoCacheConfig = z.infer<typeof PhotoCacheConfig>;
