/** How long a brochure answers identical requests without anybody looking at its photos again. */
import type { z } from 'zod';
import type contract from './contract.ts';
import type { GatheredPhotos } from './gather-photos.ts';

type Asked = Pick<z.output<typeof contract.payload>, 'trackLinks' | 'brand'>;

/**
 * Undefined: not at all. A photo that could not be had may be there the next time, links that are counted are their
 * client's own, and a brand's file may change.
 */
export function reusableUntil(
  { trackLinks, brand }: Asked,
  { faults, freshUntil }: Pick<GatheredPhotos, 'faults' | 'freshUntil'>,
  now = Date.now(),
): Date | undefined {
  const mayDiffer = trackLinks || brand !== undefined || faults.length > 0;
  return mayDiffer || freshUntil <= now ? undefined : new Date(freshUntil);
}
