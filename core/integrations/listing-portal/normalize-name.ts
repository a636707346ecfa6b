/** One spelling for each name of a place, so that names compare whoever wrote them, in English and in Arabic. */

const arabicLetters: ReadonlyMap<string, string> = new Map([
  ['ٱ', 'ا'],
  ['ة', 'ه'],
  ['ى', 'ي'],
  // Persian keyboards.
  ['ی', 'ي'],
  ['ک', 'ك'],
  ['ـ', ''],
  ['ء', ''],
]);

/**
 * Lower case; no accents, Arabic vowel signs, hamzas or tatweel; alef, ta marbuta and alef maksura in one form each;
 * western digits; words apart by one space, nothing else between them. May be ''.
 */
export const normalName = (name: string): string =>
  name
    // Takes presentation forms to letters, and accents, hamzas and vowel signs off into marks of their own.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ٱةىیکـء]/g, letter => arabicLetters.get(letter) ?? letter)
    .replace(/[٠-٩۰-۹]/g, digit => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(/['’‘`´ʼ]/g, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Whether a person who wrote this reads Arabic. */
export const isArabic = (text: string): boolean => /\p{Script=Arabic}/u.test(text);

/**
 * The normal names a place may be called by: its own, without and only what stands in brackets (`Jumeirah Village
 * Circle (JVC)`), and the initials of three words and more. Its own name goes first.
 */
export function callNames(name: string): string[] {
  const [, before = '', inside = ''] = /^(.*?)\s*\(([^)]*)\)\s*$/.exec(name) ?? [];
  const words = normalName(before || name).split(' ');
  const initials = words.length >= 3 && !isArabic(name) ? words.map(word => word[0]).join('') : '';
  const names = [normalName(name), normalName(before), normalName(inside), initials];
  return [...new Set(names)].filter(each => each !== '');
}
