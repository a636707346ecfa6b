/** A table of terms that portals, feeds and CRMs write as slugs, two-letter codes or words, in English and Arabic. */

export interface Term {
  /** The portal's slug; the name in lower case for terms that only feeds and CRMs have. */
  slug: string;
  english: string;
  arabic: string;
}

/** `codes`: two-letter codes of XML feeds, with spaces between them. `spellings`: further words for it, separated by `|`. */
export type Row = readonly [slug: string, codes: string, english: string, arabic: string, spellings?: string];

interface Found<T> {
  term: T;
  /** The text is another word for the term, which a page in English prints as it was written. */
  isSpelling: boolean;
}

export interface Table<T extends Term = Term> {
  terms: readonly T[];
  find(text: string): Found<T> | undefined;
}

/** The same for "Maid's room", "maids_room" and "MAIDS-ROOM". */
export function termKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’‘`´.]/g, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

/** @param extend adds what the table knows about a term besides its names */
export function createTable<T extends Term>(rows: readonly Row[], extend: (term: Term) => T): Table<T> {
  const codes = new Map<string, T>();
  const names = new Map<string, T>();
  const spellings = new Map<string, T>();
  const terms = rows.map(([slug, ofFeeds, english, arabic, others = '']) => {
    const term = extend({ slug, english, arabic });
    for (const code of ofFeeds.split(' ').filter(Boolean)) codes.set(code, term);
    for (const name of [slug, english, arabic]) names.set(termKey(name), term);
    for (const spelling of others.split('|').filter(Boolean)) spellings.set(termKey(spelling), term);
    return term;
  });
  return {
    terms,
    /** Codes count in capitals only: "no" is not the orientation NO. */
    find(text) {
      const trimmed = text.trim();
      const key = termKey(trimmed);
      const named = codes.get(trimmed) ?? names.get(key);
      if (named) return { term: named, isSpelling: false };
      const spelled = spellings.get(key);
      return spelled && { term: spelled, isSpelling: true };
    },
  };
}

/** A value that only software writes: two capitals, or words joined by `_` or `-` in lower case. */
export const isCode = (text: string): boolean => /^(?:[A-Z]{2}|[a-z0-9]+(?:[_-][a-z0-9]+)+)$/.test(text.trim());
