/** From a listing to what its page shows: ready words, links, codes; whatever is missing is null or empty. */
import { scanUrl } from '../../../core/domain/links/link.ts';
import type { Brand } from './brand.ts';
import type { PreparedListing } from './design.ts';
import type { Labels, Word } from './labels.ts';
import type { ListingView, PhotoView } from './listing-view.ts';
import { amenityIcon } from './view/amenity-icons.ts';
import { badgeOf } from './view/badge.ts';
import { cleanText } from './view/clean-text.ts';
import { agentOf } from './view/contact.ts';
import { detailsOf } from './view/details.ts';
import { factsOf } from './view/facts.ts';
import { mapOf } from './view/geopoints.ts';
import type { ListingKind } from './view/listing-kind.ts';
import { listingUrlOf } from './view/listing-url.ts';
import { wordsOf } from './view/listing-words.ts';
import { permitOf } from './view/permit.ts';
import { placeOf } from './view/place.ts';
import { priceOf } from './view/price.ts';
import { qrOf } from './view/qr.ts';
import { directed } from './view/text-direction.ts';
import { saidIn } from './view/vocabulary.ts';

const longestUnbrokenPhrase = 24;

/** What of the document a listing's view depends on. */
export interface ViewSetting {
  brand: Brand;
  labels: Labels;
  /** "AED" in the page's language, or the currency's sign. */
  currency: string;
  pagesPerListing: number;
  /** Pages before the first listing's. */
  coverPages: number;
}

const headings: Readonly<Record<ListingKind, Word>> = {
  home: 'about',
  'off-plan': 'about',
  holiday: 'about',
  commercial: 'aboutSpace',
  land: 'aboutPlot',
};

/** @param index position in the request, from 0. */
export function viewOfListing(prepared: PreparedListing, index: number, setting: ViewSetting): ListingView {
  const { listing } = prepared;
  const { brand, labels, pagesPerListing, coverPages, currency } = setting;
  const { kind, story, amenities } = wordsOf(listing);
  const place = placeOf(listing);
  const placeLine = place.map(name => name.text).join(', ');
  const reference = cleanText(listing.reference_number) || '–';
  const firstPage = coverPages + index * pagesPerListing + 1;
  const facts = factsOf(listing, labels);
  return {
    index,
    kind,
    reference,
    title: directed(titleOf(listing.title_en) || reference),
    place,
    placeLine,
    badge: badgeOf(listing, labels, kind),
    propertyType: saidIn(listing.property_type, labels),
    price: priceOf(listing, labels, kind, currency),
    facts,
    heading: labels.label(headings[kind]),
    story,
    hasStory: story.length > 0,
    amenities: amenities.map(amenity => ({ ...amenity, icon: amenityIcon(amenity.text) })),
    hasAmenities: amenities.length > 0,
    details: detailsOf(listing, labels, facts),
    agent: agentOf(listing.agent, prepared.agentPhoto, labels),
    permit: permitOf(listing.permit_number, brand.permitUrl),
    permitLabel: labels.label(kind === 'holiday' ? 'holidayPermit' : 'permit'),
    map: mapOf(listing.geopoints),
    listingUrl: prepared.trackedUrl ?? listingUrlOf(listing, brand),
    listingQr: prepared.trackedUrl === undefined ? null : qrOf(scanUrl(prepared.trackedUrl)),
    photos: photosOf(prepared, placeLine, labels),
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

function photosOf({ listing, photos }: PreparedListing, placeLine: string, labels: Labels): PhotoView[] {
  const what = saidIn(listing.property_type, labels) || labels.label('property');
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
