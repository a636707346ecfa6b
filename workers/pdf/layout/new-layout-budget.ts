/** The layout budget of page two of the new design: the height of its texts, and what remains for the gallery. */
import type { Listing } from '../listing.ts';
import type { DetailView, FactView, StoryBlock } from './document-view.ts';
import { type Labels, labelsOf } from './labels.ts';
import { detailsOf, factsOf } from './view/facts.ts';
import { contentOf } from './view/listing-content.ts';
import { directed } from './view/text.ts';

/** From the top edge of the page to the closing band, without the space below the gallery. */
const heightMm = 224;

/** 9.2 pt text on 13.5 pt lines, and the spacing in the style sheet. */
const lineMm = 4.7625;
const rowMm = 6.53;
const headingMm = 7.95;
const gapMm = 7.95;
const paragraphGapLines = 0.5;
/** Name, tagline and address of the brand, which page two shows when the details are on page one. */
const closingMm = 14.4;

/** Lines of the story on page one. */
const linesOnPageOne = 11;
/** A line of the story column holds at least as many characters. */
const charactersPerLine = 64;

/** Shorter details tables also repeat the facts. */
const minRows = 6;

export interface PageTwoContent {
  story: readonly StoryBlock[];
  /** Number of amenities. */
  amenities: number;
  /** Number of rows. */
  details: number;
}

export interface PageTwoLayout {
  /** The amenities are below the rest of the story; otherwise above the details. */
  amenitiesUnderStory: boolean;
  /** The maximum height of the gallery or masthead; the height of the words is estimated on the safe side. */
  headMm: number;
}

export function planPageTwo({ story, amenities, details }: PageTwoContent): PageTwoLayout {
  const rest = linesOf(story) - linesOnPageOne;
  const storyMm = rest <= 0 ? 0 : (rest + 1) * lineMm;
  const amenitiesMm = amenities === 0 ? 0 : headingMm + Math.ceil(amenities / 2) * rowMm;
  const hasDetailsOnly = storyMm === 0 && amenities === 0;
  const tableMm = headingMm + Math.ceil(hasDetailsOnly ? details / 2 : details) * rowMm;
  const detailsMm = hasDetailsOnly ? Math.max(tableMm, closingMm) : tableMm;
  const stacked = (above: number, below: number) => above + below + (above > 0 && below > 0 ? gapMm : 0);
  const under = Math.max(stacked(storyMm, amenitiesMm), detailsMm);
  const beside = Math.max(storyMm, stacked(amenitiesMm, detailsMm));
  const amenitiesUnderStory = under <= beside;
  return { amenitiesUnderStory, headMm: heightMm - Math.min(under, beside) };
}

export function galleryBudgetMm(listing: Listing): number {
  const { story, amenities } = contentOf(listing);
  const facts = factsOf(listing);
  const rows = detailRowsOf(detailsOf(listing, labelsOf('en'), facts), facts, labelsOf('en'));
  return planPageTwo({ story, amenities: amenities.length, details: rows.length }).headMm;
}

/** Adds the facts of page one to a short table, so that page two can be read alone. */
export function detailRowsOf(
  details: readonly DetailView[],
  facts: readonly FactView[],
  labels: Labels,
): DetailView[] {
  if (details.length >= minRows) return [...details];
  const shown = new Set(details.map(({ label }) => label));
  const rows = facts.map(({ field, word, value }) => ({
    field,
    label: labels.label(word),
    value: directed(value),
  }));
  return [...details, ...rows.filter(({ label }) => !shown.has(label))];
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
