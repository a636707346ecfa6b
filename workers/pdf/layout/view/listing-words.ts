/** What is made of a listing's long texts, once for the choice of its photos' places and for its page. */
import type { Listing } from '../../listing.ts';
import type { StoryBlock, TextView } from '../listing-view.ts';
import { amenitiesOf } from './amenities.ts';
import { kindOf, type ListingKind } from './listing-kind.ts';
import type { SaidFacts } from './said-facts.ts';
import { readDescription } from './story.ts';

export interface ListingWords {
  kind: ListingKind;
  story: StoryBlock[];
  said: SaidFacts;
  amenities: TextView[];
}

const known = new WeakMap<Listing, ListingWords>();

export function wordsOf(listing: Listing): ListingWords {
  const before = known.get(listing);
  if (before) return before;
  const words = {
    kind: kindOf(listing),
    ...readDescription(listing),
    amenities: amenitiesOf(listing.amenities),
  };
  known.set(listing, words);
  return words;
}
