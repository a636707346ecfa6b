/** How tall the classic page's hero may be: the fewer the words, the taller the picture. */
import type { Listing } from '../listing.ts';
import type { StoryBlock } from './listing-view.ts';
import { detailsOf } from './view/details.ts';
import { wordsOf } from './view/listing-words.ts';

/** All in lines of the 4.5 pt baseline; the page has 187. */
const linesOfPage = 187;
/** Header, headline, facts, footer band and the gaps between them. */
const linesOfFrame = 72;
const linesOfText = 3;
const linesOfHeading = 5;
const linesOfGap = 2;

/** Characters that a line of the story's column holds at least. */
const charactersOfLine = 68;

/** A step is small enough to be no hole, and large enough that photos are cut to few sizes. */
const heroSteps = [82, 76, 70, 64, 58] as const;
export const leastHeroLines = 58;

/** An estimate on the safe side, for words are worth more. */
export function heroLinesFor(listing: Listing, stripLines: number): number {
  const { story, amenities } = wordsOf(listing);
  const rows = Math.ceil(amenities.length / 2) + detailsOf(listing).length - rowsSaidElsewhere;
  const aside = rows <= 0 ? 0 : linesOfHeading + rows * linesOfText + linesOfGap;
  const body = Math.max(storyLines(story), aside);
  const room = linesOfPage - linesOfFrame - body - (stripLines === 0 ? 0 : stripLines + linesOfGap);
  return heroSteps.find(lines => lines <= room) ?? leastHeroLines;
}

/** The reference and the property's type at least. */
const rowsSaidElsewhere = 2;

function storyLines(story: readonly StoryBlock[]): number {
  if (story.length === 0) return 0;
  const lines = (text: string) => Math.ceil(text.length / charactersOfLine) * linesOfText;
  const blocks = story.map(({ heading, paragraph, list }) => {
    if (heading) return linesOfText;
    if (paragraph) return lines(paragraph.text) + 1;
    // Lists stand in two columns.
    return (list?.items ?? []).reduce((sum, item) => sum + lines(item.text + item.text), 0) / 2 + 1;
  });
  return linesOfHeading + blocks.reduce((sum, block) => sum + block, 0);
}
