/** Photos of one listing as they are collected for a design, without any that the test does not name. */
import type { CollectedPhotos } from '../../workers/pdf/listing-photos.ts';

type ListingPhotos = CollectedPhotos['listings'][number];

export const collectedPhotos = (named: Partial<ListingPhotos> = {}): ListingPhotos => ({
  fetched: [],
  missing: 0,
  hasMore: false,
  agent: undefined,
  plans: [],
  map: undefined,
  bright: { top: false, bottom: false },
  ...named,
});
