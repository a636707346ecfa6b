/** What the long texts of a listing contain; parsed once, for the placement of photos and for the pages. */
import type { Listing } from '../../listing.ts';
import { amenitiesOf } from './amenities.ts';
import { readDescription } from './story.ts';
import { kindOf } from './vocabulary.ts';

export type ListingContent = ReturnType<typeof parse>;

const cache = new WeakMap<Listing, ListingContent>();

export function contentOf(listing: Listing): ListingContent {
  const content = cache.get(listing) ?? parse(listing);
  cache.set(listing, content);
  return content;
}

const parse = (listing: Listing) => ({
  kind: kindOf(listing),
  ...readDescription(listing),
  amenities: amenitiesOf(listing.amenities),
});
