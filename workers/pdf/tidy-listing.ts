/** Cleans the words of listings for brands that ask for it (`tidy`). */
import { titleCase } from './layout/view/amenities.ts';
import { maxRawLength } from './layout/view/story.ts';
import { cleanLines, cleanText, withoutEnd } from './layout/view/text.ts';
import type { Listing } from './listing.ts';
import { hasAddress, hashtag, phonesIn } from './vocabulary/contact-data.ts';

/** Stay in capitals in a title of capitals, besides words with digits. */
const abbreviations = new Set(
  'BR BHK JBR JLT JVC JVT DIFC DIP DMCC DSO MBR OP ROI UAE AED USD VAT DLD RERA AC BBQ VIP SPA TV WH'.split(' '),
);

/** Without the signs of copyright and trade marks. */
const emoji =
  /(?:(?![©®™])\p{Extended_Pictographic}|[\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}\u{FE0F}]|\u{200D}|\u{20E3})+/gu;
const separator = /[\s|•·*~,;:–—-]/;
const firstSeparators = /^[\s|•·*~,;:–—-]+/;

export const tidyListing = (listing: Listing): Listing => ({
  ...listing,
  title_en: tidyTitle(listing.title_en) || listing.title_en,
  description_en: withoutContacts(listing.description_en),
});

/** "*** HOT DEAL *** | VACANT 3BR!!!" becomes "Hot Deal, Vacant 3BR": commas may stand at the end of a line. */
export function tidyTitle(title: string): string {
  const plain = cleanText(title)
    .replace(emoji, ' ')
    .replace(/\*+|!!+/g, ' ');
  const phrases = plain
    .split(/[|•·]/)
    .map(phrase => withoutEnd(phrase.replace(/\s+/g, ' ').replace(firstSeparators, ''), separator));
  const joined = phrases.filter(phrase => phrase !== '').join(', ');
  return isCapitals(joined) ? joined.split(' ').map(withoutCapitals).join(' ') : joined;
}

/** Mostly capitals: "BELOW OP, Vacant 3BR + MAID". */
function isCapitals(text: string): boolean {
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  const small = text.match(/\p{Ll}/gu)?.length ?? 0;
  return capitals > 8 && capitals > 2 * small;
}

function withoutCapitals(word: string, at: number): string {
  const letters = word.replace(/[^\p{L}\p{N}]/gu, '');
  if (/\p{N}/u.test(letters) || abbreviations.has(letters)) return word;
  const small = word.toLowerCase();
  return at > 0 && /^(?:a|an|and|at|by|for|in|of|on|or|the|to|with)$/.test(small) ? small : titleCase(small);
}

/** Without sentences that have a phone number or an address, and without hashtags. */
function withoutContacts(description: string): string {
  const isContact = (sentence: string) => hasAddress(sentence) || phonesIn(sentence).length > 0;
  return cleanLines(description.slice(0, maxRawLength))
    .split('\n')
    .map(line => {
      const sentences = line.replace(hashtag, '').split(/(?<=[.!?؟])\s+/);
      return sentences
        .filter(sentence => !isContact(sentence))
        .join(' ')
        .trim();
    })
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
