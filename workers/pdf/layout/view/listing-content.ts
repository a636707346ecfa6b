/** What the long texts of a listing contain; parsed once, for the placement of photos and for the pages. */
import type { Listing } from '../../listing.ts';
import type { ListingKind, StoryBlock, TextView } from '../document-view.ts';
import { amenitiesOf } from './amenities.ts';
import { type DescribedFacts, readDescription } from './story.ts';
import { kindOf } from './vocabulary.ts';

export interface ListingContent {
  kind: ListingKind;
  story: StoryBlock[];
  described: DescribedFacts;
  amenities: TextView[];
}

const cache = new WeakMap<Listing, ListingContent>();

export function contentOf(listing: Listing): ListingContent {
  const cached = cache.get(listing);
  if (cached) return cached;
  const amenities = amenitiesOf(listing.amenities);
  const content = { kind: kindOf(listing), ...readDescription(listing), amenities };
  cache.set(listing, content);
  return content;
}
