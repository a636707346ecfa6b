/** Cleans text from CRMs for print, and finds its direction. */
import type { TextView } from '../document-view.ts';
import { isPrintable } from '../script-fonts.ts';

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  hellip: '…',
  deg: '°',
  sup2: '²',
  times: '×',
  eacute: 'é',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  frac12: '½',
};

/** Comments, and elements whose content is not text. */
const hiddenStart = /<(?:!--|(script|style|template|noscript|iframe|svg|head)\b)/;
const breakingTags =
  /<\/?(?:br|p|div|h[1-6]|ul|ol|dl|dt|dd|tr|table|tbody|section|article|hr)(?:\s[^<>]{0,200})?\/?>/gi;
const itemTags = /<li(?:\s[^<>]{0,200})?>/gi;
/** The border between two cells of a table's row. */
const cellBorders = /<\/t[dh]>\s{0,50}<t[dh](?:\s[^<>]{0,200})?>/gi;
/** Any other `<…>`, such as "<Al Suwaidi>", is text. */
const otherTags =
  /<\/?(?:a|abbr|b|big|blockquote|body|button|caption|center|cite|code|col|colgroup|em|embed|figcaption|figure|font|footer|form|header|html|i|img|input|label|li|link|main|mark|meta|nav|object|o:p|picture|pre|q|s|small|source|span|strike|strong|sub|sup|tbody|td|tfoot|th|thead|tt|u|video)(?:[\s/][^<>]{0,2000})?>/gi;

/** Line breaks that a CRM exported as the two characters `\` and `n`. */
const escapedBreaks = /(?:\\r)?\\n/g;

// C0 and C1 controls except line feed, soft hyphen, zero-width space, direction marks and overrides, BOM, specials.
// ZWJ and ZWNJ stay: emoji and Persian need them.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF0-\uFFFD]|[\u{E0000}-\u{E0FFF}]|\p{Co}|\p{Cs}/gu;

/**
 * Mathematical letters typed as bold or italic, which the brochure fonts and screen readers do not support, and Arabic words
 * and sentences in one character, which may be wider than a column.
 */
const compatibilityCharacters = /[\u{1D400}-\u{1D7FF}\uFDF0-\uFDFC]+/gu;

const beyondLatin1 = /[^\0-\u00ff]/u;

/** Typed by editors and keyboards in place of a character that the fonts have. */
const substitutes: Readonly<Record<string, string>> = {
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '–',
  '\u2015': '—',
  '\u2023': '•',
  '\u2043': '•',
  '\u201B': '‘',
  '\u201F': '“',
};

/** Between the parts of a title or line; a part that is left out takes one with it. */
const partBorder = / ?[|•·,;:/\\–—،؛、，；：｜・-]+ ?/;
const emptyBrackets = / ?(?:\( ?\)|\[ ?\]|（ ?）|【 ?】|« ?»|“ ?”|" ?")/g;
const hasText = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

const firstLetter = /\p{L}/u;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Decodes entities, removes tags and what cannot be printed, trims each line, and collapses spaces. Keeps line breaks, with at
 * most one empty line in a row.
 */
export function cleanLines(raw: string): string {
  const lines = decodedLines(raw);
  return beyondLatin1.test(lines)
    ? lines
        .split('\n')
        .map(withoutMissing)
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim()
    : lines;
}

/** The characters that are left out because no font has them, each once. */
export function missingCharacters(raw: string): string[] {
  if (!/[^\0-\u00ff]|&#/.test(raw)) return [];
  return [...new Set(decodedLines(raw))].filter(character => spelled(character) === '');
}

/** A character of a Unicode form that the fonts do not have, as those that they have; '' when there are none. */
function spelled(character: string): string {
  if (isPrintable(character)) return character;
  const spelling = substitutes[character] ?? character.normalize('NFKC');
  return [...spelling].every(isPrintable) ? spelling : '';
}

/** Leaves characters out that no font has, with parts, brackets and separators that are then empty. */
function withoutMissing(line: string): string {
  if ([...line].every(isPrintable)) return line;
  const parts = line.split(new RegExp(`(${partBorder.source})`));
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const part = parts[at] ?? '';
    const left = [...part].map(spelled).join('').replace(emptyBrackets, '');
    if (left !== part && !hasText.test(left)) continue;
    kept.push(...(kept.length > 0 ? [parts[at - 1] ?? ''] : []), left);
  }
  return kept.join('').replace(/ +/g, ' ').trim();
}

function decodedLines(raw: string): string {
  const lines = raw.replace(escapedBreaks, '\n').replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n');
  // Twice, because some CRMs escape the tags.
  return stripTags(decodeEntities(stripTags(lines)))
    .replace(/[\t\v\f]/g, ' ')
    .replace(unprintable, '')
    .normalize('NFC')
    .replace(compatibilityCharacters, letters => letters.normalize('NFKC'))
    .replaceAll('\uFDFD', 'بسم الله الرحمن الرحيم')
    .split('\n')
    .map(line => line.replace(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The same on one line. */
export function cleanText(raw: string): string {
  return cleanLines(raw).replace(/\n+/g, ' ');
}

/** Cuts the end off as long as it matches; one expression for all of it takes quadratic time. @param character without `g` */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).trimEnd()}…`;

/** A key to compare texts by: lower case, NFKC, without punctuation at the ends. */
export function comparable(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
  const first = lower.search(/[\p{L}\p{N}\p{M}]/u);
  if (first === -1) return '';
  // A loop, because an expression anchored at the end is quadratic in a run of punctuation.
  let end = lower.length;
  while (end > first && !/[\p{L}\p{N}\p{M}]/u.test(lower.charAt(end - 1))) end -= 1;
  return lower.slice(first, end);
}

/** Direction by the first letter (Unicode bidirectional algorithm, rules P2 and P3); left to right without letters. */
export function directed(text: string): TextView {
  const letter = firstLetter.exec(text)?.[0] ?? '';
  return {
    text,
    dir: rightToLeft.test(letter) ? 'rtl' : 'ltr',
    lang: /\p{Script=Arabic}/u.test(letter) ? 'ar' : 'en',
  };
}

function stripTags(text: string): string {
  if (!text.includes('<')) return text;
  return withoutHidden(text)
    .replace(cellBorders, ' · ')
    .replace(itemTags, '\n• ')
    .replace(breakingTags, '\n')
    .replace(otherTags, '');
}

/** Removes comments, and elements such as `<script>` with their content; the rest of the text when one is not closed. */
function withoutHidden(text: string): string {
  const starts = new RegExp(hiddenStart, 'gi');
  let kept = '';
  let from = 0;
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    kept += text.slice(from, start.index);
    const ends = start[1] === undefined ? /-->/g : new RegExp(`</${start[1]}[^<>]{0,20}>`, 'gi');
    ends.lastIndex = starts.lastIndex;
    if (ends.exec(text) === null) return kept;
    from = ends.lastIndex;
    starts.lastIndex = from;
  }
  return kept + text.slice(from);
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}\d?));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedEntities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
