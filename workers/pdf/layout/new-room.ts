/** How page two of the new design divides its height: what its words take, and what that leaves for the pictures. */
import type { StoryBlock } from './listing-view.ts';

/** Between the page's top edge and the closing band, less the space under the gallery, in mm. */
const heightMm = 224;

/** 9.2 pt on 13.5 pt, and what the styles add around it. */
const lineMm = 4.7625;
const rowMm = 6.53;
const headingMm = 7.95;
const gapMm = 7.95;
const paragraphGapLines = 0.5;

/** Lines of the story under the facts of page one, and characters that a line of its column holds at least. */
const linesOnPoster = 11;
const charactersOfLine = 60;

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
  const detailsMm = headingMm + details * rowMm;
  const stacked = (above: number, below: number) => above + below + (above > 0 && below > 0 ? gapMm : 0);
  const under = Math.max(stacked(storyMm, amenitiesMm), detailsMm);
  const beside = Math.max(storyMm, stacked(amenitiesMm, detailsMm));
  const amenitiesUnderStory = under <= beside;
  return { amenitiesUnderStory, headMm: heightMm - Math.min(under, beside) };
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
