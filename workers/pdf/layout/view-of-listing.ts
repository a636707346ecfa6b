/** From a listing to what its page shows: ready words, links, codes; whatever is missing is null or empty. */
import type { Brand } from './brand.ts';
import type { PreparedListing } from './design.ts';
import type { ListingView, PhotoView } from './listing-view.ts';
import { amenitiesOf } from './view/amenities.ts';
import { badgeOf } from './view/badge.ts';
import { cleanText } from './view/clean-text.ts';
import { agentOf } from './view/contact.ts';
import { detailsOf } from './view/details.ts';
import { factsOf } from './view/facts.ts';
import { mapOf } from './view/geopoints.ts';
import { permitOf } from './view/permit.ts';
import { placeOf } from './view/place.ts';
import { priceOf } from './view/price.ts';
import { storyOf } from './view/story.ts';
import { directed } from './view/text-direction.ts';
import { asLabel } from './view/vocabulary.ts';

const longestUnbrokenPhrase = 24;

/** @param index position in the request, from 0. */
export function viewOfListing(
  prepared: PreparedListing,
  index: number,
  pagesPerListing: number,
  brand: Brand,
): ListingView {
  const { listing } = prepared;
  const story = storyOf(listing);
  const amenities = amenitiesOf(listing.amenities);
  const place = placeOf(listing);
  const placeLine = place.map(name => name.text).join(', ');
  const reference = cleanText(listing.reference_number) || '–';
  const firstPage = index * pagesPerListing + 1;
  return {
    index,
    reference,
    title: directed(titleOf(listing.title_en) || reference),
    place,
    placeLine,
    badge: badgeOf(listing),
    propertyType: asLabel(listing.property_type),
    price: priceOf(listing),
    facts: factsOf(listing),
    story,
    hasStory: story.length > 0,
    amenities,
    hasAmenities: amenities.length > 0,
    details: detailsOf(listing),
    agent: agentOf(listing.agent, prepared.agentPhoto),
    permit: permitOf(listing.permit_number, brand.permitUrl),
    map: mapOf(listing.geopoints),
    listingUrl: brand.listingUrl?.replaceAll('{reference}', encodeURIComponent(reference)) ?? null,
    photos: photosOf(prepared, placeLine),
    photosMore: Math.max(0, listing.photo.length - prepared.photos.length),
    firstPage,
    secondPage: firstPage + pagesPerListing - 1,
  };
}

/** Short phrases between bars ("High floor | Chiller free") hold together: a title breaks at the bars. */
function titleOf(raw: string): string {
  const phrases = cleanText(raw).split(/\s+([|•·])\s+/);
  if (phrases.length < 3) return phrases.join('');
  return phrases
    .map(phrase => (phrase.length <= longestUnbrokenPhrase ? phrase.replaceAll(' ', '\u00A0') : phrase))
    .join(' ')
    .replace(/ ([|•·])/g, '\u00A0$1');
}

function photosOf({ listing, photos }: PreparedListing, placeLine: string): PhotoView[] {
  const what = asLabel(listing.property_type) || 'Property';
  const where = placeLine === '' ? '' : `, ${placeLine}`;
  const total = photos.filter(photo => photo.src !== null).length;
  let shown = 0;
  return photos.map(({ slot, src }) => {
    if (src !== null) shown += 1;
    return {
      slot: slot.name,
      src,
      widthMm: slot.widthMm,
      heightMm: slot.heightMm,
      alt: src === null ? '' : `${what}${where}: photo ${shown} of ${total}`,
    };
  });
}
