/** The cover of a list: what it is called, and its contents with a row a listing, on as many pages as they take. */
import { type Labels, labelsOf } from './labels.ts';
import type { ContentsView, CoverView, ListingView } from './listing-view.ts';

/** A shorter list is its own contents. */
const fewestListings = 4;
/** Rows of 14 lines between the panel and the foot, on the cover and on a page of their own. */
const rowsOnCover = 7;
const rowsOnPage = 10;

/** The box a row has for its photo, in mm. */
const thumbnail = { widthMm: 29, heightMm: 18 };
const factsInRow = 3;
const placesOnCover = 6;

/** @returns 0 for a list that gets none */
export function coverPagesOf(listings: number): number {
  if (listings < fewestListings) return 0;
  return 1 + Math.ceil(Math.max(0, listings - rowsOnCover) / rowsOnPage);
}

export function coverOf(listings: readonly ListingView[], labels: Labels): CoverView | null {
  const pages = coverPagesOf(listings.length);
  if (pages === 0) return null;
  const rows = listings.map(rowOf);
  return {
    title: titleOf(listings, labels),
    places: placesOf(listings),
    pages: Array.from({ length: pages }, (_, at) => ({
      isCover: at === 0,
      number: at + 1,
      rows: rows.slice(at === 0 ? 0 : rowsOnCover + (at - 1) * rowsOnPage, rowsOnCover + at * rowsOnPage),
    })),
  };
}

function rowOf(view: ListingView): ContentsView {
  const { index, title, place, price, facts, firstPage } = view;
  return {
    href: `#listing-${index}`,
    title,
    place,
    price,
    facts: facts.slice(0, factsInRow),
    photo: thumbnailOf(view),
    page: firstPage,
  };
}

/** The photo of a slot made small, in its own shape: the PDF holds it once. */
function thumbnailOf({ photos }: ListingView): ContentsView['photo'] {
  for (const { src, widthMm, heightMm } of photos) {
    if (src === null) continue;
    const scale = Math.min(thumbnail.widthMm / widthMm, thumbnail.heightMm / heightMm);
    return { src, widthMm: hundredths(widthMm * scale), heightMm: hundredths(heightMm * scale) };
  }
  return null;
}

const hundredths = (mm: number) => Math.round(mm * 100) / 100;

/** "6 homes in Dubai": offices and plots among them are properties. */
function titleOf(listings: readonly ListingView[], labels: Labels): string {
  const homes = listings.every(({ kind }) => kind !== 'commercial' && kind !== 'land');
  const count = listings.length;
  const cities = new Set(listings.map(({ place }) => place.at(-1)?.text ?? ''));
  const [city = ''] = cities;
  const where = cities.size === 1 && city !== '' ? city : '';
  if (labels.lang === 'ar') {
    // Arabic counts 3 to 10 of a thing in the plural, from 11 on in the singular.
    const counted =
      count <= 10 ? labelsOf('ar').plain(homes ? 'homes' : 'properties') : homes ? 'منزلًا' : 'عقارًا';
    return where === '' ? `${count} ${counted}` : `${count} ${counted} في ${where}`;
  }
  const what = `${count} ${labels.plain(homes ? 'homes' : 'properties')}`;
  return where === '' ? what : `${what} in ${where}`;
}

function placesOf(listings: readonly ListingView[]): string {
  const communities = new Set(listings.flatMap(({ place }) => place.at(-2)?.text ?? []));
  return [...communities].slice(0, placesOnCover).join(' · ');
}
