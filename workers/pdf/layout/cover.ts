/** The cover of a brochure: lead photo, addressee, note, agent, and a table of contents with one row per listing. */
import { type DesignOptions, type DocumentPart, pageAddress } from './design.ts';
import { type Labels, labelsOf } from './labels.ts';
import { bleedMm } from './sheet.ts';
import type { ListingView } from './view/listing.ts';
import { cleanText, directed } from './view/text.ts';

/** Shorter lists get no cover without an addressee or a note. */
const minListings = 4;
/** Heights in lines of 4.5 pt: of a page, of its rows, of what is around them. */
const lines = { page: 187, row: 14, title: 50, agent: 18, note: 14, contents: 12, foot: 9 };
const lineMm = 1.5875;
const rowsOnFurtherPage = 10;

const thumbnail = { widthMm: 29, heightMm: 18 };
const pageWidthMm = 210;
/** A lead photo that is enlarged more looks coarse. */
const maxEnlargement = 1.25;
const maxFactsInRow = 3;
const maxPlaces = 6;

type CoverChoice = DesignOptions['cover'];

const noteOf = (cover: CoverChoice): string => (typeof cover === 'object' ? cleanText(cover.note) : '');

/** The rows that the cover has space for. */
const rowsOnCover = (cover: CoverChoice): number =>
  Math.floor(
    (lines.page - lines.title - lines.agent - (noteOf(cover) === '' ? 0 : lines.note) - lines.contents - lines.foot) /
      lines.row,
  );

/** Number of pages; 0 for a list without a cover. */
export function coverPagesOf(listings: number, cover: CoverChoice): number {
  if (cover === false || (cover === true && listings < minListings)) return 0;
  return 1 + Math.ceil(Math.max(0, listings - rowsOnCover(cover)) / rowsOnFurtherPage);
}

/**
 * The context of `cover/page.hbs`; null without a cover. A single listing has no table of contents.
 * @param part the listings in the same part of the document
 */
export function coverOf(
  listings: readonly ListingView[],
  labels: Labels,
  { cover, date, sheet }: DesignOptions,
  part: DocumentPart = { from: 0, to: listings.length },
) {
  const pages = coverPagesOf(listings.length, cover);
  const [first] = listings;
  if (pages === 0 || first === undefined) return null;
  const single = listings.length === 1 ? first : null;
  const note = noteOf(cover);
  const perCover = rowsOnCover(cover);
  const rows = single ? [] : listings.map(listing => rowOf(listing, part));
  const below = lines.agent + (note === '' ? 0 : lines.note) + lines.foot;
  const contents = single ? 0 : lines.contents + Math.min(perCover, rows.length) * lines.row;
  const headMm = (lines.page - below - contents) * lineMm;
  return {
    /** The mark of the first draft among the listings. */
    draftMark: listings.find(({ draftMark }) => draftMark !== '')?.draftMark ?? '',
    title: single ? single.title : directed(titleOf(listings, labels)),
    places: single ? single.placeLine : placesOf(listings),
    price: single?.price ?? null,
    addressee: directed(typeof cover === 'object' ? cleanText(cover.for) : ''),
    note: directed(note),
    date: dateOf(date, labels),
    agent: agentOf(listings),
    headMm,
    lead: leadOf(listings, headMm, sheet === undefined ? 0 : bleedMm),
    pages: Array.from({ length: pages }, (_, at) => ({
      isCover: at === 0,
      number: at + 1,
      rows: rows.slice(at === 0 ? 0 : perCover + (at - 1) * rowsOnFurtherPage, perCover + at * rowsOnFurtherPage),
    })),
  };
}

function rowOf({ index, title, titleField, place, price, facts, photos, firstPage }: ListingView, part: DocumentPart) {
  const href = index < part.to ? `#listing-${index}` : pageAddress(firstPage);
  const photo = croppedTo(thumbnail, photos);
  return {
    listing: index,
    href,
    title,
    titleField,
    place,
    price,
    facts: facts.slice(0, maxFactsInRow),
    photo,
    page: firstPage,
  };
}

/** As tall as the head, unless that would enlarge it too much. */
function leadOf(listings: readonly ListingView[], headMm: number, bleedOfSheetMm: number) {
  const isLarge = ({ src, isSmall }: ListingView['photos'][number]) => src !== null && !isSmall;
  const photos = listings.flatMap(listing => listing.photos.filter(isLarge).slice(0, 1));
  const [first] = photos;
  if (!first) return null;
  const scale = Math.max(maxEnlargement, pageWidthMm / first.widthMm);
  const heightMm = Math.min(headMm, first.heightMm * scale) + bleedOfSheetMm;
  return {
    ...croppedTo({ widthMm: pageWidthMm + 2 * bleedOfSheetMm, heightMm }, photos),
    alt: first.alt,
    boxMm: hundredths(heightMm),
  };
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
