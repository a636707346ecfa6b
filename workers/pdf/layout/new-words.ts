/** The heights of the words on the pages of the new design, which are estimated on the safe side before they are laid out. */
import type { Listing } from '../listing.ts';
import type { DetailView, StoryBlock } from './document-view.ts';
import { english, labelsOf } from './labels.ts';
import { detailsOf, factsOf } from './view/facts.ts';
import { coordinatesOf } from './view/links.ts';
import { contentOf } from './view/listing-content.ts';
import { locationRowsOf } from './view/location.ts';

/** From the top edge of the page to the closing band, without the space below the gallery. */
export const pageTwoMm = 224;

/** 9.2 pt text on 13.5 pt lines, and the spacing in the style sheet. */
const lineMm = 4.7625;
const rowMm = 6.53;
const headingMm = 7.95;
const gapMm = 7.95;
const paragraphGapLines = 0.5;
/** The heading and a map, or the rows in its place, each of one line. */
const minLocationMm = 48;
/** A line of the location holds a label and a value of at least as many characters. */
const charactersPerLocationRow = 38;
/** The gallery gives way to the location down to this height. */
const minHeadMm = 96;

/** Space for story, amenities and details below the low hero. */
const onePageMm = 79;
/** A line of the details there holds at least as many characters of a value; none has more than two lines. */
const charactersPerValue = 32;

/** Lines of the story on page one. */
const linesOnPageOne = 11;
/** A line of the story column holds at least as many characters. */
const charactersPerLine = 64;

/** The content below the facts of page one. */
export function leadOf(story: readonly StoryBlock[], amenities: number) {
  if (story.length > 0) return 'story';
  return amenities > 0 ? 'amenities' : 'details';
}

/** Names have at most two lines. */
export function locationMmOf(rows: readonly DetailView[]): number {
  const wrapped = rows.filter(({ label, value }) => label.length + value.text.length > charactersPerLocationRow);
  return minLocationMm + wrapped.length * lineMm;
}

/**
 * @param content the number of amenities, the rows of the details table, and the height of the location
 * @returns whether the amenities are below the rest of the story rather than above the details, and the height of the words,
 * also with the location in the shorter column; they are estimated on the safe side
 */
export function planPageTwo(content: {
  story: readonly StoryBlock[];
  amenities: number;
  details: readonly DetailView[];
  locationMm: number;
}) {
  const { story, locationMm } = content;
  const lead = leadOf(story, content.amenities);
  const amenities = lead === 'amenities' ? 0 : content.amenities;
  const details = lead === 'details' ? [] : content.details;
  const rest = linesOf(story) - linesOnPageOne;
  const storyMm = rest <= 0 ? 0 : (rest + 1) * lineMm;
  const amenitiesMm = amenities === 0 ? 0 : headingMm + Math.ceil(amenities / 2) * rowMm;
  const hasDetailsOnly = storyMm === 0 && amenities === 0;
  const tableInOneColumnMm = details.length === 0 ? 0 : headingMm + details.length * rowMm;
  /** They never stand side by side. */
  const instalments = details.filter(({ field }) => field === 'payment_plan').length;
  const isInTwoColumns = hasDetailsOnly && details.length > 0;
  const detailsMm = isInTwoColumns
    ? headingMm + Math.ceil((details.length + instalments) / 2) * rowMm
    : tableInOneColumnMm;
  const stacked = (above: number, below: number) => above + below + (above > 0 && below > 0 ? gapMm : 0);
  const under = Math.max(stacked(storyMm, amenitiesMm), detailsMm);
  const beside = Math.max(storyMm, stacked(amenitiesMm, detailsMm));
  const amenitiesUnderStory = under <= beside;
  const left = amenitiesUnderStory ? stacked(storyMm, amenitiesMm) : storyMm;
  // A location on the left leaves the details table one column.
  const right = amenitiesUnderStory ? Math.max(tableInOneColumnMm, detailsMm) : stacked(amenitiesMm, detailsMm);
  const [shorter, longer] = [Math.min(left, right), Math.max(left, right)];
  const column = left <= right ? ('left' as const) : ('right' as const);
  const withLocation = { column, wordsMm: Math.max(longer, stacked(shorter, locationMm)) };
  return { amenitiesUnderStory, wordsMm: Math.min(under, beside), withLocation };
}

/** Below the facts of one page; the location needs a second one. */
export function fitsOnePage(listing: Listing): boolean {
  const { story, amenities } = contentOf(listing);
  const details = detailsOf(listing, english, factsOf(listing));
  const rows = details.reduce((sum, { value }) => sum + 1 + Number(value.text.length > charactersPerValue), 0);
  const heights = [linesOf(story) * lineMm, Math.ceil(amenities.length / 2) * rowMm, rows * rowMm];
  const parts = heights.filter(mm => mm > 0).map(mm => headingMm + mm);
  const wordsMm = parts.reduce((sum, mm) => sum + mm, gapMm * (parts.length - 1));
  return wordsMm <= onePageMm && locationRowsOf(listing, english).length === 0;
}

export function galleryBudgetMm(listing: Listing): number {
  const { story, amenities } = contentOf(listing);
  const facts = factsOf(listing);
  const details = detailsOf(listing, english, facts);
  // The labels of bilingual pages are the longest.
  const locationMm = locationMmOf(locationRowsOf(listing, labelsOf('both')));
  const content = { story, amenities: amenities.length, details, locationMm };
  const { wordsMm, withLocation } = planPageTwo(content);
  const headMm = pageTwoMm - withLocation.wordsMm;
  return coordinatesOf(listing.geopoints) !== null && headMm >= minHeadMm ? headMm : pageTwoMm - wordsMm;
}

function linesOf(story: readonly StoryBlock[]): number {
  const lines = (text: string) => Math.ceil(text.length / charactersPerLine);
  return story.reduce((total, { heading, paragraph, list }) => {
    if (heading) return total + 1;
    const items = list?.items ?? [];
    const own = paragraph ? lines(paragraph.text) : items.reduce((sum, item) => sum + lines(item.text), 0);
    return total + own + paragraphGapLines;
  }, 0);
}
