/** Leaves out the fonts that no character of a document asks for: those for emoji and Arabic are half a megabyte. */
import type { Asset } from '../layout/design.ts';
import type { Assets } from './web-archive.ts';

type CodePoints = readonly (readonly [from: number, to: number])[];

/** Every document has some of these. */
const lastOfLatin1 = 0xff;

/**
 * A face's `unicode-range` says which characters it is for, by which the browser, too, decides whether to load it.
 * @returns all assets but the fonts of faces for other characters than the document's
 */
export function neededAssets(html: string, assets: Assets): [string, Asset][] {
  const beyondLatin1 = [...new Set(html.match(/[^\0-\u00ff]/gu))].map(
    character => character.codePointAt(0) ?? 0,
  );
  const isAskedFor = ([from, to]: CodePoints[number]) =>
    from <= lastOfLatin1 || beyondLatin1.some(point => point >= from && point <= to);
  const unneeded = new Set<string>();
  for (const { url, range } of facesOf(html)) if (!range.some(isAskedFor)) unneeded.add(url);
  for (const { url, range } of facesOf(html)) if (range.some(isAskedFor)) unneeded.delete(url);
  return [...assets].filter(([url]) => !unneeded.has(url));
}

interface Face {
  url: string;
  range: CodePoints;
}

function facesOf(html: string): Face[] {
  return [...html.matchAll(/@font-face\s*\{([^}]*)\}/g)].flatMap(([, face = '']) => {
    const url = /\burl\(["']?([^"')]+)/.exec(face)?.[1];
    return url === undefined ? [] : [{ url, range: rangeOf(/unicode-range:([^;]+)/.exec(face)?.[1]) }];
  });
}

/** "U+26, U+0-7F, U+4??": a face without a range is for every character. */
function rangeOf(text: string | undefined): CodePoints {
  if (text === undefined) return [[0, 0x10ffff]];
  return text.split(',').map(each => {
    const [from = '', to = from] = each.trim().replace(/^U\+/i, '').split('-');
    return [Number.parseInt(from.replaceAll('?', '0'), 16), Number.parseInt(to.replaceAll('?', 'F'), 16)];
  });
}
