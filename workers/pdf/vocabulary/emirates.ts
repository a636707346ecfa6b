/** The emirate of a listing, which decides about permits and licences. */
import type { Listing } from '../listing.ts';

/** `northern`: Sharjah, Ajman, Umm Al Quwain, Ras Al Khaimah and Fujairah, whose adverts need no permit number. */
export type Emirate = 'dubai' | 'abu-dhabi' | 'northern' | 'unknown';

const emirateNames: readonly [RegExp, Emirate][] = [
  [/\bdubai\b|دبي/i, 'dubai'],
  [/\babu ?dhabi\b|\bal ?ain\b|أبو ?ظبي|ابوظبي|العين/i, 'abu-dhabi'],
  [
    /\bsharjah\b|\bajman\b|\bumm al[ -]?quwain\b|\bras al[ -]?khaimah\b|\brak\b|\bfujairah\b|الشارقة|عجمان|الفجيرة|رأس الخيمة|أم القيوين/i,
    'northern',
  ],
];

/** By the city. */
export function emirateOf({ city }: Pick<Listing, 'city'>): Emirate {
  return emirateNames.find(([pattern]) => pattern.test(city))?.[1] ?? 'unknown';
}

/** The licence of a broker, by its name in the emirate. */
export const brokerLicenceOf = (listing: Pick<Listing, 'city'>): 'BRN' | 'BLN' =>
  emirateOf(listing) === 'abu-dhabi' ? 'BLN' : 'BRN';

/** The prefix with which some CRMs store the number. */
export const brokerLicencePrefix = /^(?:BRN|BLN)[\s:#-]*/i;
