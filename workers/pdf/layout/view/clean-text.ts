/** Text from a CRM made fit to print: entities and simple tags undone, control and direction-override characters gone. */

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

/** Tags CRMs and portals put into plain text. Any other `<…>` is the author's own text and stays. */
const breakingTags = /<\/?(?:br|p|div|h[1-6]|ul|ol|tr|table|tbody|section)(?:\s[^<>]{0,200})?\/?>/gi;
const itemTags = /<li(?:\s[^<>]{0,200})?>/gi;
const silentTags = /<\/?(?:b|strong|i|em|u|s|span|font|a|li|td|th|small|sub|sup)(?:\s[^<>]{0,500})?\/?>/gi;

// C0 and C1 controls but line ends, soft hyphen, zero-width space, direction marks and overrides, BOM, specials.
// ZWJ and ZWNJ stay: emoji and Persian need them.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF0-\uFFFD]|[\u{E0000}-\u{E0FFF}]|\p{Co}|\p{Cs}/gu;

/** Letters that imitate bold and italic: agents type them, screen readers and our fonts do not know them. */
const mathematicalLetters = /[\u{1D400}-\u{1D7FF}]+/gu;

/** Text with its lines kept; each line trimmed, inner runs of space made one. */
export function cleanLines(raw: string): string {
  return decodeEntities(stripTags(raw.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')))
    .replace(/[\t\v\f]/g, ' ')
    .replace(unprintable, '')
    .replace(mathematicalLetters, letters => letters.normalize('NFKC'))
    .split('\n')
    .map(line => line.replace(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** One line of text. */
export function cleanText(raw: string): string {
  return cleanLines(raw).replace(/\n+/g, ' ');
}

/** Text compared: case, accents' form and punctuation at the ends do not matter. */
export function sameWords(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
  const first = words.search(/[\p{L}\p{N}\p{M}]/u);
  if (first === -1) return '';
  // Backwards by hand: an expression anchored at the end is quadratic in a row of punctuation.
  let end = words.length;
  while (end > first && !/[\p{L}\p{N}\p{M}]/u.test(words.charAt(end - 1))) end -= 1;
  return words.slice(first, end);
}

function stripTags(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(itemTags, '\n• ').replace(breakingTags, '\n').replace(silentTags, '');
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}\d?));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedEntities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : whole;
  });
}
