/** The amenities of a comma-separated field, cleaned: trimmed, each once, in title case. */
import type { TextView } from '../listing-view.ts';
import { cleanLines, sameWords } from './clean-text.ts';
import { directed } from './text-direction.ts';

/** More than any page holds; what does not fit is counted ("+12 more") when the page is fitted. */
const mostAmenities = 80;
const longestAmenity = 60;

const smallWords = new Set([
  'a',
  'an',
  'and',
  'at',
  'by',
  'for',
  'in',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
]);

export function amenitiesOf(text: string): TextView[] {
  const seen = new Map<string, TextView>();
  for (const part of cleanLines(text).split(/[,،;\n|•]+/)) {
    // The look back keeps a long run of dots from being tried at each of them.
    const name = part
      .replace(/^[\s\-–—*·✓✔✅]+/u, '')
      .replace(/(?<![\s.\-–—*])[\s.\-–—*]+$/u, '')
      .replaceAll('_', ' ');
    const key = sameWords(name);
    if (key !== '' && !seen.has(key)) seen.set(key, directed(titleCase(shorten(name))));
  }
  return [...seen.values()].slice(0, mostAmenities);
}

function shorten(name: string): string {
  return name.length <= longestAmenity ? name : `${name.slice(0, longestAmenity - 1).trimEnd()}…`;
}

/** "central a/c" becomes "Central A/C"; "BBQ", "24/7" and "iPad" stay as they are. */
export function titleCase(text: string): string {
  const shouting = text === text.toUpperCase() && /\p{L}{5}/u.test(text);
  const words = (shouting ? text.toLowerCase() : text).split(' ');
  return words
    .map((word, at) => {
      if (word !== word.toLowerCase() || (at > 0 && smallWords.has(word))) return word;
      return word.replace(
        /(^|[-/(])(\p{Ll})/gu,
        (_, before: string, letter: string) => before + letter.toUpperCase(),
      );
    })
    .join(' ');
}
