/** Whose advertising rules a listing falls under. */
import type { Listing } from '../listing.ts';

/** `northern`: Sharjah, Ajman, Umm Al Quwain, Ras Al Khaimah and Fujairah, whose adverts need no permit number. */
export type Emirate = 'dubai' | 'abu-dhabi' | 'northern' | 'unknown';

const names: readonly [RegExp, Emirate][] = [
  [/\bdubai\b|دبي/i, 'dubai'],
  [/\babu ?dhabi\b|\bal ?ain\b|أبو ?ظبي|ابوظبي|العين/i, 'abu-dhabi'],
  [
    /\bsharjah\b|\bajman\b|\bumm al[ -]?quwain\b|\bras al[ -]?khaimah\b|\brak\b|\bfujairah\b|الشارقة|عجمان|الفجيرة|رأس الخيمة|أم القيوين/i,
    'northern',
  ],
];

/** Told by the city; a listing elsewhere, or without a city, is unknown. */
export function emirateOf({ city }: Pick<Listing, 'city'>): Emirate {
  return names.find(([pattern]) => pattern.test(city))?.[1] ?? 'unknown';
}
