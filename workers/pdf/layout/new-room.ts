/** How page two of the new design divides its height: what its words take, and what that leaves for the pictures. */
import type { Listing } from '../listing.ts';
import { type Labels, labelsOf } from './labels.ts';
import type { DetailView, FactView, StoryBlock } from './listing-view.ts';
import { detailsOf } from './view/details.ts';
import { factsOf } from './view/facts.ts';
import { wordsOf } from './view/listing-words.ts';
import { directed } from './view/text-direction.ts';

/** Between the page's top edge and the closing band, less the space under the gallery, in mm. */
const heightMm = 224;

/** 9.2 pt on 13.5 pt, and what the styles add around it. */
const lineMm = 4.7625;
const rowMm = 6.53;
const headingMm = 7.95;
const gapMm = 7.95;
const paragraphGapLines = 0.5;
/** The house's name, words and address without the space above and below, which stand there when the details are on page one. */
const closingMm = 14.4;

/** Lines of the story under the facts of page one, and characters that a line of its column holds at least. */
const linesOnPoster = 11;
const charactersOfLine = 64;

/** Rows of a details table that needs no more. */
const fullTable = 6;

/** What page two has to say. */
export interface FileWords {
  story: readonly StoryBlock[];
  amenities: number;
  details: number;
}

export interface FilePlan {
  /** The amenities stand under what is left of the story, or above the details. */
  amenitiesUnderStory: boolean;
  /** How tall the gallery or the masthead may be: an estimate on the safe side, for words are worth more. */
  headMm: number;
}

export function planFile({ story, amenities, details }: FileWords): FilePlan {
  const rest = linesOf(story) - linesOnPoster;
  const storyMm = rest <= 0 ? 0 : (rest + 1) * lineMm;
  const amenitiesMm = amenities === 0 ? 0 : headingMm + Math.ceil(amenities / 2) * rowMm;
  const alone = storyMm === 0 && amenities === 0;
  const tableMm = headingMm + Math.ceil(alone ? details / 2 : details) * rowMm;
  const detailsMm = alone ? Math.max(tableMm, closingMm) : tableMm;
  const stacked = (above: number, below: number) => above + below + (above > 0 && below > 0 ? gapMm : 0);
  const under = Math.max(stacked(storyMm, amenitiesMm), detailsMm);
  const beside = Math.max(storyMm, stacked(amenitiesMm, detailsMm));
  const amenitiesUnderStory = under <= beside;
  return { amenitiesUnderStory, headMm: heightMm - Math.min(under, beside) };
}

export function roomForGalleryMm(listing: Listing): number {
  const { story, amenities } = wordsOf(listing);
  const facts = factsOf(listing);
  const rows = rowsOf(detailsOf(listing, labelsOf('en'), facts), facts, labelsOf('en'));
  return planFile({ story, amenities: amenities.length, details: rows.length }).headMm;
}

/** A short table says once more what stands in the facts row: page two may be read alone. */
export function rowsOf(
  details: readonly DetailView[],
  facts: readonly FactView[],
  labels: Labels,
): DetailView[] {
  if (details.length >= fullTable) return [...details];
  const said = new Set(details.map(({ label }) => label));
  const rows = facts.map(({ field, word, value }) => ({
    field,
    label: labels.label(word),
    value: directed(value),
  }));
  return [...details, ...rows.filter(({ label }) => !said.has(label))];
}

function linesOf(story: readonly StoryBlock[]): number {
  const lines = (text: string) => Math.ceil(text.length / charactersOfLine);
  return story.reduce((total, { heading, paragraph, list }) => {
    if (heading) return total + 1;
    const items = list?.items ?? [];
    const own = paragraph ? lines(paragraph.text) : items.reduce((sum, item) => sum + lines(item.text), 0);
    return total + own + paragraphGapLines;
  }, 0);
}
