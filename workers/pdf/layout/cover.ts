/** The cover of a brochure: lead photo, addressee, note, agent, and a table of contents with one row per listing. */
import { type DesignOptions, type DocumentPart, type LayoutName, pageAddress } from './design.ts';
import { type Labels, labelsOf } from './labels.ts';
import { minLargePx, type PhotoShape, type PhotoSlot, slotForPixels } from './photo-slot.ts';
import type { ListingView } from './view/listing.ts';
import { cleanText, directed } from './view/text.ts';

/** Shorter lists get no cover without an addressee or a note. */
const minListings = 4;
/** Heights in lines of 4.5 pt: of a page, of its rows, of what is around them. */
const lines = { page: 187, row: 14, title: 45, agent: 18, note: 14, contents: 12, foot: 14 };
const lineMm = 1.5875;
const rowsOnFurtherPage = { min: 4, max: 10 };
/** Smaller heads have no space for the emblem. */
const minEmblemMm = 50;

const thumbnail = { widthMm: 29, heightMm: 18 };
const pageWidthMm = 210;
/** Around a photo that is narrower than the page: the margins, the brand above and the title below. */
const frame = { marginsMm: 28, aboveMm: 20 * lineMm, belowMm: 42 * lineMm, minHeightMm: 40 };
const maxFactsInRow = 3;
const maxPlaces = 6;

type CoverChoice = DesignOptions['cover'];

const noteOf = (cover: CoverChoice): string => (typeof cover === 'object' ? cleanText(cover.note) : '');
const noteLinesOf = (cover: CoverChoice): number => (noteOf(cover) === '' ? 0 : lines.note);

/**
 * The number of rows of the table of contents on each page; empty without a cover. The first page gives rows to a further
 * one that would have only a few.
 */
function rowsByPage(listings: number, cover: CoverChoice): number[] {
  if (listings === 0 || cover === false || (cover === true && listings < minListings)) return [];
  if (listings === 1) return [0];
  const around = lines.title + lines.agent + noteLinesOf(cover) + lines.contents + lines.foot;
  const most = Math.floor((lines.page - around) / lines.row);
  const further = Math.ceil(Math.max(0, listings - most) / rowsOnFurtherPage.max);
  const first = Math.min(most, listings - further * rowsOnFurtherPage.min);
  const upTo = (page: number) => Math.round(((listings - first) * page) / further);
  return [first, ...Array.from({ length: further }, (_, at) => upTo(at + 1) - upTo(at))];
}

/** Number of pages; 0 for a list without a cover. */
export const coverPagesOf = (listings: number, cover: CoverChoice): number => rowsByPage(listings, cover).length;

/** What the rest leaves: a page is full with any number of rows. */
function headMmOf(rows: number, isCover: boolean, cover: CoverChoice): number {
  const contents = rows === 0 ? 0 : lines.contents + rows * lines.row;
  const from = isCover ? lines.agent + noteLinesOf(cover) : 0;
  return (lines.page - contents - from - lines.foot) * lineMm;
}

/**
 * The place of the lead photo on the cover: across the page, from its upper edge as far down as the pixels reach; of a
 * narrower photo, between the brand and the title. null for a photo that is too small, and without a cover.
 */
export function leadSlotOf(
  photo: PhotoShape,
  { listings, cover, name }: { listings: number; cover: CoverChoice; name: LayoutName },
): PhotoSlot | null {
  const [rows] = rowsByPage(listings, cover);
  if (rows === undefined || photo.widthPx < minLargePx) return null;
  const headMm = headMmOf(rows, true, cover);
  const head: PhotoSlot = { name: 'cover', widthMm: pageWidthMm, heightMm: headMm, crop: 'attention' };
  const across = slotForPixels(head, photo, name);
  if (across.widthMm === pageWidthMm) return { ...across, edges: { start: true, end: true, top: true } };
  const framed = { widthMm: pageWidthMm - frame.marginsMm, heightMm: headMm - frame.aboveMm - frame.belowMm };
  return framed.heightMm < frame.minHeightMm ? null : slotForPixels({ ...head, ...framed }, photo, name);
}

/**
 * The context of `cover/page.hbs`; null without a cover. A single listing has no table of contents.
 * @param part the listings in the same part of the document
 */
export function coverOf(
  listings: readonly ListingView[],
  labels: Labels,
  { cover, date }: DesignOptions,
  part: DocumentPart = { from: 0, to: listings.length },
) {
  const counts = rowsByPage(listings.length, cover);
  const [first] = listings;
  if (counts.length === 0 || first === undefined) return null;
  const single = listings.length === 1 ? first : null;
  const rows = listings.map(listing => rowOf(listing, part));
  return {
    /** The mark of the first draft among the listings. */
    draftMark: listings.find(({ draftMark }) => draftMark !== '')?.draftMark ?? '',
    title: single ? single.title : directed(titleOf(listings, labels)),
    places: single ? single.placeLine : placesOf(listings),
    price: single?.price ?? null,
    permit: single?.permit ?? null,
    addressee: directed(typeof cover === 'object' ? cleanText(cover.for) : ''),
    note: directed(noteOf(cover)),
    date: dateOf(date, labels),
    agent: agentOf(listings),
    lead: leadOf(listings),
    pages: counts.map((count, at) => {
      const headMm = headMmOf(count, at === 0, cover);
      const from = counts.slice(0, at).reduce((sum, before) => sum + before, 0);
      const isCover = at === 0;
      return {
        isCover,
        number: at + 1,
        headMm,
        hasEmblem: headMm >= minEmblemMm,
        rows: rows.slice(from, from + count),
      };
    }),
  };
}

function rowOf(listing: ListingView, part: DocumentPart) {
  const { index, title, titleField, place, price, permit, facts, photos, firstPage } = listing;
  const href = index < part.to ? `#listing-${index}` : pageAddress(firstPage);
  const photo = croppedTo(thumbnail, photos);
  return {
    listing: index,
    href,
    title,
    titleField,
    place,
    price,
    permit: price && permit,
    facts: facts.slice(0, maxFactsInRow),
    photo,
    page: firstPage,
  };
}

function leadOf(listings: readonly ListingView[]) {
  const listing = listings.find(({ lead }) => lead !== null);
  if (!listing?.lead) return null;
  const { lead, shade, photos } = listing;
  return { ...lead, isFramed: lead.widthMm < pageWidthMm, shade, alt: photos[0]?.alt ?? '' };
}

/** The first photo as a page shows it, scaled to fill the box around its centre: the PDF stores it once. */
function croppedTo(box: { widthMm: number; heightMm: number }, photos: ListingView['photos']) {
  const first = photos.find(({ src }) => src !== null);
  if (!first) return null;
  const { src, printed } = first;
  const { widthMm, heightMm } = printed;
  const scale = Math.max(box.widthMm / widthMm, box.heightMm / heightMm);
  const [width, height] = [hundredths(widthMm * scale), hundredths(heightMm * scale)];
  const [left, top] = [hundredths((box.widthMm - width) / 2), hundredths((box.heightMm - height) / 2)];
  return { src, widthMm: width, heightMm: height, leftMm: left, topMm: top };
}

const hundredths = (mm: number) => Math.round(mm * 100) / 100;

/** Null when the listings have different agents. */
function agentOf([first, ...others]: readonly ListingView[]): ListingView['agent'] {
  const keyOf = (listing: ListingView | undefined) => listing?.agent?.email?.text ?? listing?.agent?.name.text;
  return first && others.every(other => keyOf(other) === keyOf(first)) ? first.agent : null;
}

/** "22 November 2026". */
function dateOf(date: string | undefined, { lang }: Labels): string {
  if (date === undefined) return '';
  const locale = lang === 'ar' ? 'ar-AE-u-nu-latn' : 'en-GB';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));
}

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
