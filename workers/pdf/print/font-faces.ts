/** A document's web fonts, taken out of its styles: a page loads them once and keeps them for the documents after it. */
import type { Asset } from '../layout/design.ts';
import type { Assets } from './inline-assets.ts';

/** What `new FontFace` takes (CSS Font Loading, 2.1), but for its source. */
export interface FontFace {
  family: string;
  descriptors: FontFaceDescriptors;
  font: Asset;
  range: CodePoints;
}

/** Only what a face of ours says of itself. */
interface FontFaceDescriptors {
  style?: string;
  weight?: string;
  unicodeRange?: string;
}

type CodePoints = readonly (readonly [from: number, to: number])[];

/** Only there: a listing's text may have words that look like a rule, but never an element. */
const styles = /<style\b[^>]*>[\s\S]*?<\/style>/g;
const rules = /@font-face\s*\{([^}]*)\}/g;

/** Every document has some of these. */
const lastOfLatin1 = 0xff;

/** @returns the document without the faces that the assets have a font for, and those faces */
export function takeFontFaces(html: string, assets: Assets): { html: string; faces: FontFace[] } {
  const faces: FontFace[] = [];
  const withoutFaces = (style: string) =>
    style.replace(rules, (rule, text: string) => {
      const face = faceOf(text, assets);
      if (face) faces.push(face);
      return face ? '' : rule;
    });
  return { html: html.replace(styles, withoutFaces), faces };
}

function faceOf(text: string, assets: Assets): FontFace | undefined {
  const said = (name: string) => new RegExp(`(?:^|[\\s;])${name}:\\s*([^;]+)`).exec(text)?.[1]?.trim();
  const font = assets.get(/\burl\(["']?([^"')]+)/.exec(text)?.[1] ?? '');
  const family = said('font-family')?.replace(/^(["'])(.*)\1$/, '$2');
  if (!font || family === undefined) return undefined;
  const [style, weight, unicodeRange] = ['font-style', 'font-weight', 'unicode-range'].map(said);
  const descriptors = {
    ...(style !== undefined && { style }),
    ...(weight !== undefined && { weight }),
    ...(unicodeRange !== undefined && { unicodeRange }),
  };
  return { family, descriptors, font, range: rangeOf(unicodeRange) };
}

/**
 * Leaves out the faces that no character of a document asks for, those for emoji and Arabic being half a megabyte: a
 * face's `unicode-range` says which characters it is for, by which the browser, too, decides whether to load it.
 */
export function neededFaces(html: string, faces: readonly FontFace[]): FontFace[] {
  const beyondLatin1 = [...new Set(html.match(/[^\0-\u00ff]/gu))].map(
    character => character.codePointAt(0) ?? 0,
  );
  const isAskedFor = ([from, to]: CodePoints[number]) =>
    from <= lastOfLatin1 || beyondLatin1.some(point => point >= from && point <= to);
  return faces.filter(({ range }) => range.some(isAskedFor));
}

/** "U+26, U+0-7F, U+4??": a face without a range is for every character. */
function rangeOf(text: string | undefined): CodePoints {
  if (text === undefined) return [[0, 0x10ffff]];
  return text.split(',').map(each => {
    const [from = '', to = from] = each.trim().replace(/^U\+/i, '').split('-');
    return [Number.parseInt(from.replaceAll('?', '0'), 16), Number.parseInt(to.replaceAll('?', 'F'), 16)];
  });
}
