/**
 * Which characters the brochures can print, and the fonts of scripts that few listings use: Chinese and Devanagari, from npm
 * packages, in slices of some hundred characters. A document gets the slices that its characters need.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { templateFolder } from '../../../core/runtime/discover.ts';

interface FontFile {
  contentType: string;
  body: Buffer;
}

type CodePoints = readonly (readonly [from: number, to: number])[];

interface ScriptFont {
  family: string;
  package: string;
  /** The packages’ `unicode-range`s also name characters of other scripts, which the slices do not contain. */
  range: CodePoints;
}

const scriptFonts: readonly ScriptFont[] = [
  {
    family: 'Noto Sans SC',
    package: 'noto-sans-sc',
    // Punctuation, kana, bopomofo, enclosed characters, Han, full-width forms, Han of the supplementary planes.
    range: [
      [0x3000, 0x312f],
      [0x3190, 0x33ff],
      [0x3400, 0x4db5],
      [0x4e00, 0x9fef],
      [0xfe30, 0xfe4f],
      [0xff00, 0xffef],
      [0x20000, 0x3134f],
    ],
  },
  {
    family: 'Noto Sans Devanagari',
    package: 'noto-sans-devanagari',
    range: [
      [0x0900, 0x097f],
      [0x1cd0, 0x1cf6],
      [0x20b9, 0x20b9],
      [0xa830, 0xa839],
      [0xa8e0, 0xa8ff],
    ],
  },
];

const weights = [400, 600] as const;

/** Families of titles and prices; a text may be printed without them. */
const titleFamilies: ReadonlySet<string> = new Set(['Cormorant Garamond', 'Noto Naskh Arabic']);

const origin = 'https://brochure.invalid/fonts';
const beyondLatin1 = /[^\0-\u00ff]/gu;
/** The browser needs no glyph for these. */
const invisible = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

const locate = createRequire(import.meta.url);

interface Slice {
  family: string;
  /** One of each weight. */
  files: readonly { weight: number; url: string; asset: FontFile }[];
  points: readonly number[];
}

type Library = ReturnType<typeof openLibrary>;
let library: Library | undefined;

/** Read at the first use: processes that print nothing but Latin text do without it. */
const opened = (): Library => {
  library ??= openLibrary();
  return library;
};

function openLibrary() {
  const slices = scriptFonts.flatMap(slicesOf);
  return {
    common: commonCharacters(readFileSync(new URL('pdf/fonts/fonts.css', templateFolder), 'utf8')),
    sliceOf: new Map(slices.flatMap(slice => slice.points.map(point => [point, slice] as const))),
    assets: new Map(slices.flatMap(({ files }) => files.map(({ url, asset }) => [url, asset] as const))),
  };
}

/** By URL; files are read when a document needs them. */
export const scriptAssets = (): ReadonlyMap<string, FontFile> => opened().assets;

/** The versions of the packages, for the fingerprint of a brochure. */
export const scriptVersions = (): string[] =>
  scriptFonts.map(({ package: name }) => readFileSync(locate.resolve(`@fontsource/${name}/package.json`), 'utf8'));

/** @returns the `@font-face` rules of the characters that the common fonts do not have; '' for most documents */
export function scriptRules(html: string): string {
  const characters = html.match(beyondLatin1);
  if (characters === null) return '';
  const { common, sliceOf } = opened();
  const points = [...new Set(characters)].map(pointOf).filter(point => !common.has(point));
  const slices = [...new Set(points.flatMap(point => sliceOf.get(point) ?? []))];
  return slices.flatMap(ruleOf).join('\n');
}

export function isPrintable(character: string): boolean {
  const point = pointOf(character);
  if (point <= 0xff) return true;
  const { common, sliceOf } = opened();
  return common.has(point) || sliceOf.has(point) || invisible.test(character);
}

const pointOf = (character: string): number => character.codePointAt(0) ?? 0;

/** The other files of a package are of other scripts. */
function slicesOf({ family, package: name, range }: ScriptFont): Slice[] {
  const css = readFileSync(locate.resolve(`@fontsource/${name}/400.css`), 'utf8');
  const rules = css.matchAll(/files\/([\w-]+)-400-normal\.woff2\)[^}]*unicode-range: ([^;]+);/g);
  return [...rules].flatMap(([, file = '', ranges = '']) => {
    if (!/-(?:\d+|devanagari)$/.test(file)) return [];
    const points = pointsOf(rangesOf(ranges).flatMap(each => range.flatMap(own => overlapOf(each, own))));
    const files = weights.map(weight => {
      const fileName = `${file}-${weight}-normal.woff2`;
      return { weight, url: `${origin}/${fileName}`, asset: fileAsset(`@fontsource/${name}/files/${fileName}`) };
    });
    return points.length === 0 ? [] : [{ family, files, points }];
  });
}

function commonCharacters(css: string): ReadonlySet<number> {
  const rules = css.matchAll(/font-family: '([^']+)'[^}]*unicode-range: ([^;]+);/g);
  const ranges = [...rules].flatMap(([, family = '', text = '']) => (titleFamilies.has(family) ? [] : rangesOf(text)));
  return new Set(pointsOf(ranges));
}

/** The ranges in a text such as "U+26,U+0-7f". */
const rangesOf = (text: string): CodePoints =>
  text.split(',').map(range => {
    const [from = '', to = from] = range.trim().slice(2).split('-');
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
  });

function overlapOf([from, to]: CodePoints[number], [first, last]: CodePoints[number]): CodePoints {
  return from > last || to < first ? [] : [[Math.max(from, first), Math.min(to, last)]];
}

function pointsOf(ranges: CodePoints): number[] {
  const points: number[] = [];
  for (const [from, to] of ranges) for (let point = from; point <= to; point++) points.push(point);
  return points;
}

const rangeOf = (points: readonly number[]): string => points.map(point => `U+${point.toString(16)}`).join(',');

const ruleOf = ({ family, files, points }: Slice): string[] =>
  files.map(
    ({ weight, url }) =>
      `@font-face { font-family: '${family}'; font-weight: ${weight}; src: url("${url}") format("woff2"); unicode-range: ${rangeOf(points)}; }`,
  );

function fileAsset(file: string): FontFile {
  let body: Buffer | undefined;
  return {
    contentType: 'font/woff2',
    get body() {
      body ??= readFileSync(locate.resolve(file));
      return body;
    },
  };
}
