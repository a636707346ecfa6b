/** Names of places in English and Arabic: normal form, variants, transliteration; and the cities. */

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
 * Converts a name to a form in which spellings of the same name are equal: lower case; no accents, Arabic vowel signs,
 * hamzas or tatweel; one form each of alef, ta marbuta and alef maksura; western digits; words with one space between
 * them. May be ''.
 */
export const normalizeName = (name: string): string =>
  name
    // Converts presentation forms to letters, and splits accents, hamzas and vowel signs into separate marks.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ٱةىیکـء]/g, letter => arabicLetters.get(letter) ?? letter)
    .replace(/[٠-٩۰-۹]/g, digit => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(/['’‘`´ʼ]/g, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export const isArabic = (text: string): boolean => /\p{Script=Arabic}/u.test(text);

/**
 * The normal forms of the names of a place, its own first: the name without its brackets and the text in the brackets
 * (`Jumeirah Village Circle (JVC)`), and the initials of three or more words.
 */
export function nameVariants(name: string): string[] {
  const bracket = /\(([^()]*)\)$/.exec(name.trimEnd());
  const before = name.slice(0, bracket?.index ?? 0).trimEnd();
  const inside = bracket?.[1] ?? '';
  const words = normalizeName(before || name).split(' ');
  const initials = words.length >= 3 && !isArabic(name) ? words.map(word => word[0]).join('') : '';
  const names = [normalizeName(name), normalizeName(before), normalizeName(inside), initials];
  return [...new Set(names)].filter(each => each !== '');
}

const arabic = 'ابتثجحخدذرزسشصضطظعغفقكلمنهويپچڤگ';
const latin = 'a b t th j h kh d dh r z s sh s d t z a gh f q k l m n h w y p ch v g'.split(' ');
const letters: ReadonlyMap<string, string> = new Map([...arabic].map((letter, index) => [letter, latin[index] ?? '']));

/**
 * Arabic in Latin letters, near to its pronunciation. PostgreSQL's trigrams know only the letters of the server's locale,
 * often English alone; transliterated names are found by similar spelling on every server.
 * @param normal a name in normal form
 */
export const transliterate = (normal: string): string =>
  normal.replace(/\p{Script=Arabic}/gu, letter => letters.get(letter) ?? '');

export interface City {
  name: string;
  nameAr: string;
}

/** The roots of the portal's locations: the seven emirates, and Al Ain, which the portal separates from Abu Dhabi. */
export const cities: readonly City[] = [
  { name: 'Dubai', nameAr: 'دبي' },
  { name: 'Abu Dhabi', nameAr: 'أبو ظبي' },
  { name: 'Sharjah', nameAr: 'الشارقة' },
  { name: 'Ajman', nameAr: 'عجمان' },
  { name: 'Ras Al Khaimah', nameAr: 'رأس الخيمة' },
  { name: 'Umm Al Quwain', nameAr: 'أم القيوين' },
  { name: 'Fujairah', nameAr: 'الفجيرة' },
  { name: 'Al Ain', nameAr: 'العين' },
];

/** Finds a city by its English or Arabic name in any spelling. */
export function findCity(name: string): City | undefined {
  const wanted = normalizeName(name);
  return cities.find(city => normalizeName(city.name) === wanted || normalizeName(city.nameAr) === wanted);
}
