/** Where the home is, from the building to the city, nothing said twice. */
import type { Listing } from '../../listing.ts';
import type { TextView } from '../listing-view.ts';
import { cleanText, sameWords } from './clean-text.ts';
import { directed } from './text-direction.ts';

type PlacedListing = Pick<Listing, 'tower_name' | 'property_name' | 'sub_community' | 'community' | 'city'>;

/** Names below the community that a longer name already holds ("Saheel" beside "Saheel Villas") are left out. */
export function placeOf(listing: PlacedListing): TextView[] {
  const inside = [listing.property_name, listing.tower_name, listing.sub_community]
    .map(cleanText)
    .filter(Boolean);
  const around = [listing.community, listing.city].map(cleanText).filter(Boolean);
  const names: string[] = [];
  for (const name of inside) {
    if (!names.some(other => holds(other, name)) && !inside.some(other => longerHolds(other, name)))
      names.push(name);
  }
  for (const name of around) {
    if (!names.some(other => sameWords(other) === sameWords(name))) names.push(name);
  }
  return names.map(directed);
}

function holds(longer: string, shorter: string): boolean {
  return ` ${sameWords(longer)} `.includes(` ${sameWords(shorter)} `);
}

function longerHolds(other: string, name: string): boolean {
  return sameWords(other) !== sameWords(name) && holds(other, name);
}
