/** The cover of a brochure: title and table of contents with one row per listing, on one or more pages. */

import { type Labels, labelsOf } from './labels.ts';
import type { ListingView } from './view/listing.ts';

/** Shorter lists get no cover. */
const minListings = 4;
/** Rows of 14 lines between header and footer: on the cover, and on further pages. */
const rowsOnCover = 7;
const rowsOnFurtherPage = 10;

/** The largest thumbnail, in mm. */
const thumbnail = { widthMm: 29, heightMm: 18 };
const maxFactsInRow = 3;
const maxPlaces = 6;

/** Number of pages; 0 for a list without a cover. */
export function coverPagesOf(listings: number): number {
  if (listings < minListings) return 0;
  return 1 + Math.ceil(Math.max(0, listings - rowsOnCover) / rowsOnFurtherPage);
}

/** The context of `cover/page.hbs`: places such as "Palm Jumeirah · Dubai Marina", and the rows of each page. */
export function coverOf(listings: readonly ListingView[], labels: Labels) {
  const pages = coverPagesOf(listings.length);
  if (pages === 0) return null;
  const rows = listings.map(rowOf);
  return {
    title: titleOf(listings, labels),
    places: placesOf(listings),
    pages: Array.from({ length: pages }, (_, at) => ({
      isCover: at === 0,
      number: at + 1,
      rows: rows.slice(at === 0 ? 0 : rowsOnCover + (at - 1) * rowsOnFurtherPage, rowsOnCover + at * rowsOnFurtherPage),
    })),
  };
}

function rowOf({ index, title, place, price, facts, photos, firstPage }: ListingView) {
  const href = `#listing-${index}`;
  const photo = thumbnailOf(photos);
  return { listing: index, href, title, place, price, facts: facts.slice(0, maxFactsInRow), photo, page: firstPage };
}

/** The first photo, scaled down in its own shape: the PDF stores it once. */
function thumbnailOf(photos: ListingView['photos']) {
  const first = photos.find(({ src }) => src !== null);
  if (!first) return null;
  const { src, widthMm, heightMm } = first;
  const scale = Math.min(thumbnail.widthMm / widthMm, thumbnail.heightMm / heightMm);
  return { src, widthMm: hundredths(widthMm * scale), heightMm: hundredths(heightMm * scale) };
}

const hundredths = (mm: number) => Math.round(mm * 100) / 100;

/** "6 homes in Dubai"; with an office or plot among them, "6 properties in Dubai". */
function titleOf(listings: readonly ListingView[], labels: Labels): string {
  const homes = listings.every(({ kind }) => kind !== 'commercial' && kind !== 'land');
  const count = listings.length;
  const cities = new Set(listings.map(({ place }) => place.at(-1)?.text ?? ''));
  const where = cities.size === 1 ? [...cities].join() : '';
  if (labels.lang === 'ar') {
    // Arabic uses the plural for 3 to 10, the singular from 11.
    const counted = count <= 10 ? labelsOf('ar').plain(homes ? 'homes' : 'properties') : homes ? 'منزلًا' : 'عقارًا';
    return where === '' ? `${count} ${counted}` : `${count} ${counted} في ${where}`;
  }
  const what = `${count} ${labels.plain(homes ? 'homes' : 'properties')}`;
  return where === '' ? what : `${what} in ${where}`;
}

function placesOf(listings: readonly ListingView[]): string {
  const communities = new Set(listings.flatMap(({ place }) => place.at(-2)?.text ?? []));
  return [...communities].slice(0, maxPlaces).join(' · ');
}
