/** The description as paragraphs, headings and lists, without what the page already says elsewhere. */
import type { Listing } from '../../listing.ts';
import type { StoryBlock, TextView } from '../listing-view.ts';
import { cleanLines, sameWords } from './clean-text.ts';
import { type SaidFacts, takeSaidFacts } from './said-facts.ts';
import { withoutRepeats } from './story-repeats.ts';
import { directed } from './text-direction.ts';

/** More than two pages hold at the smallest size (about 5,500 characters); the rest never reaches the browser. */
const longestStory = 7_500;
/** Of the text as it came, with its tags and blank lines. */
const longestRaw = 4 * longestStory;
const longestHeading = 60;

// A bullet: a dash or dot of some kind, or a symbol or emoji used as one, before its text.
const dash = '[-–—*•·‣⁃∙◦▪▫■□●○◆◇►▶▸➤➢➔➜→»❖✦✧★☆✓✔☑✅❌✗✘]';
const emoji = String.raw`\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}\uFE0F\u200D\p{Extended_Pictographic}]*`;
const bullet = new RegExp(String.raw`^(?:${dash}\uFE0F?)+\s*(?=\p{L}|\p{N}|["'(+&])`, 'u');
const emojiBullet = new RegExp(String.raw`^(?:${emoji})\s+(?=\S)`, 'u');
const inlineBullet = /\s+(?:[•·▪●►✓✔✅]\uFE0F?|🔹|🔸)\s+/gu;

/** The story, and the facts that stood in it on lines of their own. */
export function readDescription(listing: Listing): { story: StoryBlock[]; said: SaidFacts } {
  const text = withoutRepeats(cleanLines(listing.description_en.slice(0, longestRaw)), listing);
  const { said, rest } = takeSaidFacts(text);
  const story = rest
    .slice(0, longestStory)
    .split(/\n{2,}/)
    .flatMap(blocksOfChunk);
  return { said, story: said.size === 0 ? story : withoutEmptyHeadings(story) };
}

export const storyOf = (listing: Listing): StoryBlock[] => readDescription(listing).story;

/** What a heading headed may have become facts. */
function withoutEmptyHeadings(story: readonly StoryBlock[]): StoryBlock[] {
  return story.filter((block, at) => {
    const next = story[at + 1];
    return block.heading === null || (next !== undefined && next.heading === null);
  });
}

/** A chunk is what stands between two blank lines. */
function blocksOfChunk(chunk: string): StoryBlock[] {
  const lines = asList(
    joinWrapped(
      chunk
        .split('\n')
        .flatMap(splitInlineBullets)
        .filter(line => line !== ''),
    ),
  );
  const blocks: StoryBlock[] = [];
  let items: string[] = [];
  const closeList = () => {
    if (items.length > 0) blocks.push(listBlock(items.map(directed)));
    items = [];
  };
  for (const line of lines) {
    if (line.item) items.push(line.text);
    else {
      closeList();
      blocks.push(isHeading(line.text) ? headingBlock(line.text) : paragraphBlock(line.text));
    }
  }
  closeList();
  return blocks;
}

interface Line {
  text: string;
  item: boolean;
}

/** "Features • Pool • Gym" on one line becomes a line each. */
function splitInlineBullets(line: string): string[] {
  const bullets = line.match(inlineBullet)?.length ?? 0;
  const opens = bullet.test(line);
  if (bullets + (opens ? 1 : 0) < 2) return [line];
  const [first = '', ...rest] = line.split(inlineBullet).map(part => part.trim());
  return [first, ...rest.map(part => `• ${part}`)];
}

/** Mail programs break lines in mid-sentence: a line that goes on in lower case belongs to the one before. */
function joinWrapped(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const previous = joined.at(-1);
    if (previous !== undefined && /[\p{L}\p{N},]$/u.test(previous) && /^\p{Ll}/u.test(line)) {
      joined[joined.length - 1] = `${previous} ${line}`;
    } else joined.push(line);
  }
  return joined;
}

function asList(lines: readonly string[]): Line[] {
  const emojiLines = lines.filter(line => emojiBullet.test(line)).length;
  const marked = lines.map(line => {
    const text = line.replace(bullet, '');
    if (text !== line) return { text, item: true };
    const bare = line.replace(emojiBullet, '');
    return emojiLines > 1 && bare !== line && !isHeading(bare)
      ? { text: bare, item: true }
      : { text, item: false };
  });
  return marked.some(line => line.item) ? marked : unmarkedList(marked);
}

/** "Key features:" and then short lines without full stops: a list whose bullets were lost on the way. */
function unmarkedList(lines: readonly Line[]): Line[] {
  const [first, ...rest] = lines;
  if (first === undefined || !first.text.endsWith(':') || rest.length < 2) return [...lines];
  const short = rest.every(line => line.text.length <= longestHeading && !/[.!?:]$/.test(line.text));
  return short ? [first, ...rest.map(line => ({ text: line.text, item: true }))] : [...lines];
}

function isHeading(line: string): boolean {
  if (line.length > longestHeading || sameWords(line) === '') return false;
  if (/[:：]$/.test(line)) return true;
  return (
    /\p{Lu}{3}/u.test(line) && line === line.toUpperCase() && !/[.!?]$/.test(line) && /\p{L}/u.test(line)
  );
}

function headingBlock(line: string): StoryBlock {
  return { heading: directed(headingText(line)), paragraph: null, list: null };
}

function headingText(line: string): string {
  const text = line.replace(/^[^\p{L}\p{N}("'“‘]+|[^\p{L}\p{N})"'”’]+$/gu, '');
  if (text !== text.toUpperCase() || !/\p{Lu}{4}/u.test(text)) return text;
  return text.charAt(0) + text.slice(1).toLowerCase();
}

const paragraphBlock = (line: string): StoryBlock => ({
  heading: null,
  paragraph: directed(line),
  list: null,
});

function listBlock(items: TextView[]): StoryBlock {
  return { heading: null, paragraph: null, list: { dir: items[0]?.dir ?? 'ltr', items } };
}
