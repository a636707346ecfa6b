/**
 * Puts images and fonts into a document as `data:` URLs. The browser would need longer for a request per image, and for
 * opening a web archive: a page that never navigates prints in half the time.
 */
import type { Asset } from '../layout/design.ts';

/** By absolute URL. */
export type Assets = ReadonlyMap<string, Asset>;

/** The arguments of `new FontFace` (CSS Font Loading, 2.1), with the font in place of its source. */
export interface FontFace {
  family: string;
  descriptors: { style?: string; weight?: string; unicodeRange?: string; sizeAdjust?: string };
  font: Asset;
  range: CodePoints;
}

type CodePoints = readonly (readonly [from: number, to: number])[];

/** Image URLs in `src`. In a listing's text quotes are escaped, so it cannot match; it could match the `url()` of a style. */
const sources = /(?<=\ssrc=["'])https?:[^\s"']+/g;

/** Font faces are searched in these only: a listing's text may look like a rule but cannot contain an element. */
const styles = /<style\b[^>]*>[\s\S]*?<\/style>/g;
const rules = /@font-face\s*\{([^}]*)\}/g;

/** Every document has characters of Latin-1. */
const lastOfLatin1 = 0xff;

/** Leaves URLs without an asset as they are. */
export function inlineAssets(html: string, assets: Assets): string {
  return html.replace(sources, url => {
    const asset = assets.get(url);
    return asset ? dataUrl(asset) : url;
  });
}

/** @returns the document without the font faces whose font is among the assets, and those faces */
export function extractFontFaces(html: string, assets: Assets): { html: string; faces: FontFace[] } {
  const faces: FontFace[] = [];
  const withoutFaces = (style: string) =>
    style.replace(rules, (rule, text: string) => {
      const face = faceOf(text, assets);
      if (face) faces.push(face);
      return face ? '' : rule;
    });
  return { html: html.replace(styles, withoutFaces), faces };
}

/**
 * Returns the faces whose `unicode-range` contains a character of the document, as the browser does. Those for emoji and
 * Arabic are half a megabyte.
 */
export function neededFaces(html: string, faces: readonly FontFace[]): FontFace[] {
  const characters = new Set(html.match(/[^\0-\u00ff]/gu));
  const beyondLatin1 = [...characters].map(character => character.codePointAt(0) ?? 0);
  const isUsed = ([from, to]: CodePoints[number]) =>
    from <= lastOfLatin1 || beyondLatin1.some(point => point >= from && point <= to);
  return faces.filter(({ range }) => range.some(isUsed));
}

/** The fonts that a page has loaded; they stay loaded from one document to the next. */
export class PageFonts {
  readonly #loaded = new Map<string, FontFace>();

  /**
   * @param all the faces of a document
   * @param needed those of them that its characters use
   * @returns the script after which the page has these fonts and no fonts of other documents
   */
  scriptFor(all: readonly FontFace[], needed: readonly FontFace[]): string {
    const byName = new Map(all.map(face => [nameOf(face), face]));
    const hasOthers = [...this.#loaded].some(([name, { font }]) => byName.get(name)?.font !== font);
    if (hasOthers) this.#loaded.clear();
    const missing = needed.filter(face => !this.#loaded.has(nameOf(face)));
    for (const face of missing) this.#loaded.set(nameOf(face), face);
    return [...(hasOthers ? ['document.fonts.clear();'] : []), ...missing.map(addScript)].join('\n');
  }
}

function faceOf(text: string, assets: Assets): FontFace | undefined {
  const propertyOf = (name: string) => new RegExp(`(?:^|[\\s;])${name}:\\s*([^;]+)`).exec(text)?.[1]?.trim();
  const font = assets.get(/\burl\(["']?([^"')]+)/.exec(text)?.[1] ?? '');
  const family = propertyOf('font-family')?.replace(/^(["'])(.*)\1$/, '$2');
  if (!font || family === undefined) return undefined;
  const [style, weight, unicodeRange, sizeAdjust] = ['font-style', 'font-weight', 'unicode-range', 'size-adjust'].map(
    propertyOf,
  );
  const descriptors = {
    ...(style !== undefined && { style }),
    ...(weight !== undefined && { weight }),
    ...(unicodeRange !== undefined && { unicodeRange }),
    ...(sizeAdjust !== undefined && { sizeAdjust }),
  };
  return { family, descriptors, font, range: rangeOf(unicodeRange) };
}

/** The ranges in a text such as "U+26, U+0-7F, U+4??"; a face without a range is for every character. */
function rangeOf(text: string | undefined): CodePoints {
  if (text === undefined) return [[0, 0x10ffff]];
  return text.split(',').map(each => {
    const [from = '', to = from] = each.trim().replace(/^U\+/i, '').split('-');
    return [Number.parseInt(from.replaceAll('?', '0'), 16), Number.parseInt(to.replaceAll('?', 'F'), 16)];
  });
}

const nameOf = ({ family, descriptors }: FontFace): string => JSON.stringify([family, descriptors]);

function addScript({ family, font, descriptors }: FontFace): string {
  const args = [family, `url(${dataUrl(font)})`, descriptors].map(each => JSON.stringify(each));
  return `document.fonts.add(new FontFace(${args.join(', ')}));`;
}

/** RFC 2397. */
const dataUrl = ({ body, contentType }: Asset): string => `data:${contentType};base64,${body.toString('base64')}`;
