/** Which way a text runs: by its first strong letter, as Unicode's bidirectional algorithm (rules P2, P3) says. */
import type { TextView } from '../listing-view.ts';

const firstLetter = /\p{L}/u;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A text with its direction; text without letters takes the page's, left to right. */
export function directed(text: string): TextView {
  const letter = firstLetter.exec(text)?.[0] ?? '';
  return {
    text,
    dir: rightToLeft.test(letter) ? 'rtl' : 'ltr',
    lang: /\p{Script=Arabic}/u.test(letter) ? 'ar' : 'en',
  };
}
