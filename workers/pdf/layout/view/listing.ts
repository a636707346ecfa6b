/** The view of a listing: formatted text, links and QR codes; null or empty where the listing has no data. */
import { scanUrl } from '../../../../core/domain/links/link.ts';
import type { Listing } from '../../listing.ts';
import { isDraft } from '../../vocabulary/permits.ts';
import type { Brand } from '../brand.ts';
import type { BadgeView, ListingKind, PhotoView, TextView } from '../document-view.ts';
import { english, type Labels, type Word } from '../labels.ts';
import { amenityIcon, amenityName } from './amenities.ts';
import { detailsOf, factsOf } from './facts.ts';
import { furtherPagesOf } from './further-pages.ts';
import { agentOf, listingUrlOf, mapOf, mediaOf, qrOf, typedUrl } from './links.ts';
import { contentOf } from './listing-content.ts';
import { locationRowsOf, mapSlot } from './location.ts';
import { textFieldsOf } from './page-texts.ts';
import { permitOf } from './permit.ts';
import { priceOf } from './price.ts';
import { cleanText, comparable, directed } from './text.ts';
import { isOffPlan, localised, purposeOf, readable } from './vocabulary.ts';

/** In characters. */
const maxUnbrokenPhrase = 24;
const maxUnknownPurpose = 24;

export interface PreparedListing {
  listing: Listing;
  /** In the order of `arrange`; `src` is a URL under https://brochure.invalid/, or null for the placeholder. */
  photos: {
    slot: Pick<PhotoView, 'widthMm' | 'heightMm'> & { name: string };
    /** Smaller than the slot for a photo with few pixels; absent: the slot. */
    printed?: PhotoView['printed'];
    src: string | null;
  }[];
  /** The photo that leads the cover, if it is of this listing. */
  lead?: (Pick<PhotoView, 'widthMm' | 'heightMm'> & { src: string }) | undefined;
  /** The parts of the first photo on which white words need a stronger shade; absent: none. */
  bright?: { top: boolean; bottom: boolean } | undefined;
  /** Whether photos that are not on the pages could be loaded. */
  hasMorePhotos?: boolean | undefined;
  /** A URL like `src`; null to print initials. */
  agentPhoto: string | null;
  /** Width by height of an agent's photo that is no portrait. */
  agentPhotoRatio?: number;
  /** Each with its own slot; absent without floor plans. */
  plans?: readonly { slot: Pick<PhotoView, 'widthMm' | 'heightMm'>; src: string }[];
  /** A URL like `src`; absent without a map provider or location, or when the map could not be loaded. */
  map?: string | undefined;
  /** The short link that is printed instead of the listing URL to count clicks. */
  trackedUrl?: string | undefined;
}

/** Values of the document that a listing's view depends on. */
export interface ViewSettings {
  brand: Brand;
  labels: Labels;
  /** "AED" in the page's language, or the currency's sign. */
  currency: string;
  firstPage: number;
  /** The pages of the listing without those of further photos and floor plans. */
  ownPages: number;
  /** Printed below a map. */
  mapAttribution?: string;
}

/** The heading of the story, and the label of the link to the listing's page. */
const words: Partial<Record<ListingKind, readonly [heading: Word, online: Word]>> = {
  commercial: ['aboutSpace', 'thisSpaceOnline'],
  land: ['aboutPlot', 'thisPlotOnline'],
};

/** What a template shows of a listing; null, '' or empty where the listing has no data. */
export type ListingView = ReturnType<typeof viewOfListing>;

/** @param index position in the request, from 0 */
export function viewOfListing(prepared: PreparedListing, index: number, settings: ViewSettings) {
  const { listing } = prepared;
  const { brand, labels, firstPage, ownPages, currency } = settings;
  const { kind, story, amenities } = contentOf(listing);
  const place = placeOf(listing);
  const placeLine = place.map(name => name.text).join(', ');
  const reference = cleanText(listing.reference_number) || '–';
  const facts = factsOf(listing, labels);
  const fields = textFieldsOf(labels.language, listing);
  const [heading, online] = words[kind] ?? ['about', 'thisHomeOnline'];
  const listingUrl = prepared.trackedUrl ?? listingUrlOf(listing, brand);
  const photos = photosOf(prepared, placeLine, labels);
  return {
    index,
    kind,
    reference,
    title: directed(titleOf(listing.title_en) || reference),
    titleField: fields.title,
    /** Below the title of a bilingual page. */
    titleArabic: labels.second && listing.title_ar !== '' ? directed(titleOf(listing.title_ar)) : null,
    place,
    /** The place in one line, for alternative texts. */
    placeLine,
    badge: badgeOf(listing, labels, kind),
    propertyType: localised(listing.property_type, labels),
    price: priceOf(listing, labels, kind, currency),
    facts,
    heading: labels.label(heading),
    story,
    storyField: fields.description,
    hasStory: story.length > 0,
    amenities: amenities.map(amenity => ({
      ...directed(amenityName(amenity, labels)),
      icon: amenityIcon(amenity.text),
    })),
    hasAmenities: amenities.length > 0,
    details: detailsOf(listing, labels, facts),
    agent: agentOf(listing, prepared.agentPhoto, labels, prepared.agentPhotoRatio),
    permit: permitOf(listing, brand, labels),
    /** Across each page of a draft; '' on others. */
    draftMark: isDraft(listing) ? labels.plain('draft') : '',
    map: mapOf(listing.geopoints),
    listingUrl,
    /** To type in; '' for a long address. */
    listingUrlText: typedUrl(listingUrl ?? ''),
    onlineLabel: labels.label(online),
    online: onlineOf(prepared, labels, online),
    photos,
    lead: prepared.lead ?? null,
    furtherPages: furtherPagesOf(prepared, photos, { placeLine, labels, firstPage: firstPage + ownPages }),
    location: locationOf(prepared, placeLine, settings),
    /** The text of the link to the listing's page when it has further photos, else ''. */
    morePhotos: prepared.hasMorePhotos === true && listingUrl !== null ? labels.plain('moreOnline') : '',
    shade: [prepared.bright?.top && 'bright-top', prepared.bright?.bottom && 'bright-bottom'].filter(Boolean).join(' '),
    firstPage,
    secondPage: firstPage + ownPages - 1,
  };
}

/** The code beside those of permit and map: it opens the listing's page and counts a scan, else the tour or the video. */
function onlineOf({ trackedUrl, listing }: PreparedListing, labels: Labels, online: Word) {
  if (trackedUrl !== undefined) {
    return { label: labels.label(online), url: trackedUrl, text: typedUrl(trackedUrl), qr: qrOf(scanUrl(trackedUrl)) };
  }
  const [media] = mediaOf(listing);
  return media
    ? { label: labels.label(media.word), url: media.url, text: new URL(media.url).host, qr: qrOf(media.url) }
    : null;
}

/** A map, if any, and rows for a page without it; null for a listing without a known location. */
function locationOf(
  { listing, map }: PreparedListing,
  placeLine: string,
  { labels, mapAttribution = '' }: ViewSettings,
) {
  const rows = locationRowsOf(listing, labels);
  const alt = `${labels.plain('mapOf')} ${placeLine || labels.plain('location')}`;
  if (map !== undefined) return { map: { src: map, alt, attribution: mapAttribution, ...mapSlot }, rows };
  return rows.length === 0 ? null : { map: null, rows };
}

export function badgeOf(
  listing: Pick<Listing, 'purpose' | 'completion_status'>,
  labels: Labels = english,
  kind: ListingKind = 'home',
): BadgeView | null {
  const purpose = purposeOf(listing.purpose);
  if (kind === 'holiday') return { kind: 'rent', label: labels.label('holidayHome') };
  if (purpose === 'rent') return { kind: 'rent', label: labels.label('forRent') };
  if (isOffPlan(listing.completion_status)) return { kind: 'off-plan', label: labels.label('offPlan') };
  if (purpose === 'sale') return { kind: 'sale', label: labels.label('forSale') };
  const label = readable(listing.purpose);
  return label === '' || label.length > maxUnknownPurpose ? null : { kind: 'other', label };
}

/**
 * The place names from the building to the city, without repeats. Below the community, a name that is part of a longer
 * one ("Saheel" of "Saheel Villas") is a repeat.
 */
export function placeOf(
  listing: Pick<Listing, 'tower_name' | 'property_name' | 'sub_community' | 'community' | 'city'>,
): TextView[] {
  const { property_name, tower_name, sub_community, community, city } = listing;
  const inside = [property_name, tower_name, sub_community].map(cleanText).filter(Boolean);
  const around = [community, city].map(cleanText).filter(Boolean);
  const names: string[] = [];
  for (const name of inside) {
    const isInLonger = inside.some(other => comparable(other) !== comparable(name) && contains(other, name));
    if (!isInLonger && !names.some(other => contains(other, name))) names.push(name);
  }
  for (const name of around) {
    if (!names.some(other => comparable(other) === comparable(name))) names.push(name);
  }
  return names.map(directed);
}

/** Keeps short phrases between bars ("High floor | Chiller free") on one line: the title breaks at the bars. */
function titleOf(raw: string): string {
  const phrases = cleanText(raw).split(/ ([|•·]) /);
  if (phrases.length < 3) return phrases.join('');
  return phrases
    .map(phrase => (phrase.length <= maxUnbrokenPhrase ? phrase.replaceAll(' ', '\u00A0') : phrase))
    .join(' ')
    .replace(/ ([|•·])/g, '\u00A0$1');
}

function photosOf({ listing, photos }: PreparedListing, placeLine: string, labels: Labels): PhotoView[] {
  const what = localised(listing.property_type, labels.main) || labels.label('property');
  const where = placeLine === '' ? '' : `, ${placeLine}`;
  const total = photos.filter(photo => photo.src !== null).length;
  let shown = 0;
  return photos.map(({ slot, printed = slot, src }) => {
    const { name, widthMm, heightMm } = slot;
    const [photo, of] = [labels.plain('photo'), labels.plain('of')];
    const alt = src === null ? '' : `${what}${where}: ${photo} ${++shown} ${of} ${total}`;
    const size = { widthMm: printed.widthMm, heightMm: printed.heightMm };
    return { slot: name, src, widthMm, heightMm, printed: size, isSmall: printed.widthMm < widthMm, alt };
  });
}

const contains = (longer: string, shorter: string): boolean =>
  ` ${comparable(longer)} `.includes(` ${comparable(shorter)} `);
