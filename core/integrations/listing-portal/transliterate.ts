/**
 * Arabic in Latin letters, near to how it sounds. The trigrams of PostgreSQL know the letters of the server's locale
 * only, which are often those of English alone; this way names are found by their spelling whatever the server is.
 */

const arabic = 'ابتثجحخدذرزسشصضطظعغفقكلمنهويپچڤگ';
const latin = 'a b t th j h kh d dh r z s sh s d t z a gh f q k l m n h w y p ch v g'.split(' ');
const letters: ReadonlyMap<string, string> = new Map(
  [...arabic].map((letter, index) => [letter, latin[index] ?? '']),
);

/** @param normal a normal name */
export const romanised = (normal: string): string =>
  normal.replace(/\p{Script=Arabic}/gu, letter => letters.get(letter) ?? '');
