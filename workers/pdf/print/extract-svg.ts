/**
 * Replaces the SVG drawings of a document by images, which become form XObjects of the PDF (ISO 32000-1, 8.10). The browser
 * would draw each occurrence separately.
 */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { SVGPathData } from 'svg-pathdata';
import type { Replacement } from './placeholders.ts';

type Attributes = ReadonlyMap<string, string>;

/** The drawing uses SVG features that are not converted here, so the browser draws it. */
class UnsupportedSvg extends Error {}

/** SVGs with a `color` attribute are extracted; others inherit their colour from the text around them and stay. */
const colouredSvg = /<svg class="([^"]*)" color="([^"]*)"([^>]*)>(.*?)<\/svg>/gs;
const reference = /^<use href="#([^"]*)"\/>$/;
const symbols = /<symbol id="([^"]*)"([^>]*)>(.*?)<\/symbol>/gs;
const shape = /<(\w+)\b([^>]*?)\/?>/g;
const attribute = /([\w:-]+)="([^"]*)"/g;

/** Attributes of the drawing that are converted or have no effect on paper. */
const drawingAttributes =
  /^(viewBox|preserveAspectRatio|fill|stroke|stroke-width|stroke-linecap|stroke-linejoin|id|class|xmlns|role|aria-.*)$/;
const shapeAttributes = /^(d|points|cx|cy|r|rx|ry|x|y|x1|y1|x2|y2|width|height|fill|stroke)$/;

/** ISO 32000-1, tables 54 and 55, by their names in SVG 2 (13.5). */
const lineCaps: Readonly<Record<string, number>> = { butt: 0, round: 1, square: 2 };
const lineJoins: Readonly<Record<string, number>> = { miter: 0, round: 1, bevel: 2 };

/** A QR code: about 300 rectangles, each one module high, such as `M5 0h4v1h-4z`. */
const qrCode = /^(?:M-?\d+ -?\d+h\d+v1h-\d+z)+$/;
const qrRun = /M(-?\d+) (-?\d+)h(\d+)v1h-\d+z/g;

/** @returns the document with images that keep class and label of their drawing, and the drawings by the images' URLs */
export function extractSvg(html: string): { html: string; drawings: Map<string, Replacement> } {
  const sheet = new Map(
    [...html.matchAll(symbols)].map(([, id = '', markup = '', shapes = '']) => [id, { markup, shapes }]),
  );
  const drawings = new Map<string, Replacement>();
  const withImages = html.replace(colouredSvg, (svg, ...groups: string[]) => {
    const [className = '', colour = '', markup = '', content = ''] = groups;
    const drawn = sheet.get(reference.exec(content)?.[1] ?? '') ?? { markup, shapes: content };
    const replacement = replacementOf(colour, drawn.markup, drawn.shapes);
    if (replacement === null) return svg;
    const url = `https://brochure.invalid/drawings/${replacement.hash}`;
    drawings.set(url, replacement);
    const label = /\baria-label="([^"]*)"/.exec(markup)?.[1] ?? '';
    return `<img class="${className}" alt="${label}" src="${url}">`;
  });
  return { html: withImages, drawings };
}

/** Null: unsupported. Converting a QR code costs as much as printing it, and the same listings are printed repeatedly. */
const converted = new LRUCache<string, { replacement: Replacement | null }>({ max: 1_000 });

function replacementOf(colour: string, markup: string, shapes: string): Replacement | null {
  const key = `${colour} ${markup} ${shapes}`;
  const known = converted.get(key);
  if (known) return known.replacement;
  let replacement: Replacement | null = null;
  try {
    replacement = convert(colour, attributesOf(markup), shapes);
  } catch (error) {
    if (!(error instanceof UnsupportedSvg)) throw error;
  }
  converted.set(key, { replacement });
  return replacement;
}

/** @throws UnsupportedSvg */
function convert(colour: string, attributes: Attributes, shapes: string): Replacement {
  const viewBox = attributes.get('viewBox')?.split(' ').map(Number) ?? [];
  const [x = 0, y = 0, width = Number.NaN, height = Number.NaN] = viewBox;
  if (!(width > 0 && height > 0)) throw new UnsupportedSvg('The drawing has no viewBox.');
  const content = Buffer.from(contentOf(colour, attributes, shapes), 'latin1');
  const entries = new Map([
    ['Type', '/XObject'],
    ['Subtype', '/Form'],
    ['BBox', `[${x} ${y} ${x + width} ${y + height}]`],
    // Maps the view box to the unit square of an image (8.9.4), whose y axis points up; that of SVG points down.
    ['Matrix', `[${rounded([1 / width, 0, 0, -1 / height, -x / width, (y + height) / height])}]`],
    ['Resources', '<<>>'],
    ['Filter', '/FlateDecode'],
  ]);
  const hash = createHash('sha256')
    .update(JSON.stringify([...entries]))
    .update(content);
  return { kind: 'drawing', hash: hash.digest('hex'), entries, body: deflateSync(content) };
}

/** The content stream. `colour`: the value of `currentColor`, such as "#8A5A2B". */
function contentOf(colour: string, attributes: Attributes, shapes: string): string {
  checkAttributes(attributes, drawingAttributes);
  const operators = [...shapes.matchAll(shape)].map(([, name = '', markup = '']) => {
    const own = attributesOf(markup);
    checkAttributes(own, shapeAttributes);
    const path = pathOperators(name, own);
    if (path === undefined) throw new UnsupportedSvg(`The drawing has a ${name}.`);
    const inherited = (attributeName: string, initial: string) =>
      own.get(attributeName) ?? attributes.get(attributeName) ?? initial;
    return path + paintOperator(inherited('fill', 'black'), inherited('stroke', 'none'));
  });
  return graphicsState(colour, attributes) + operators.join('');
}

const attributesOf = (markup: string): Attributes =>
  new Map([...markup.matchAll(attribute)].map(([, name = '', value = '']) => [name, value]));

function checkAttributes(attributes: Attributes, supported: RegExp): void {
  for (const name of attributes.keys())
    if (!supported.test(name)) throw new UnsupportedSvg(`The drawing has the attribute ${name}.`);
}

function graphicsState(colour: string, attributes: Attributes): string {
  const colours = colourOperands(colour);
  const width = Number(attributes.get('stroke-width') ?? 1);
  const cap = lineCaps[attributes.get('stroke-linecap') ?? 'butt'];
  const join = lineJoins[attributes.get('stroke-linejoin') ?? 'miter'];
  if (!(width >= 0) || cap === undefined || join === undefined)
    throw new UnsupportedSvg('The drawing has an unknown kind of stroke.');
  return `${colours} RG ${colours} rg ${width} w ${cap} J ${join} j 4 M\n`;
}

/** ISO 32000-1, 8.5.3.1. */
function paintOperator(fill: string, stroke: string): string {
  for (const paint of [fill, stroke])
    if (paint !== 'none' && paint !== 'currentColor') throw new UnsupportedSvg(`The drawing is painted with ${paint}.`);
  if (fill === 'none') return stroke === 'none' ? 'n\n' : 'S\n';
  return stroke === 'none' ? 'f\n' : 'B\n';
}

function colourOperands(colour: string): string {
  const parts = /^#(..)(..)(..)$/.exec(colour)?.slice(1);
  if (!parts) throw new UnsupportedSvg(`The drawing has the colour ${colour}.`);
  return rounded(parts.map(part => Number.parseInt(part, 16) / 255));
}

const rounded = (values: readonly number[], digits = 6): string =>
  values.map(value => String(Number(value.toFixed(digits)))).join(' ');

/** @returns undefined for elements that are not shapes, such as groups and texts */
function pathOperators(shape: string, attributes: Attributes): string | undefined {
  const d = pathOf(shape, attributes);
  if (d === undefined) return undefined;
  return qrCode.test(d) ? d.replaceAll(qrRun, '$1 $2 $3 1 re\n') : operatorsOf(d);
}

function pathOf(shape: string, attributes: Attributes): string | undefined {
  const number = (name: string, initial = 0) => Number(attributes.get(name) ?? initial);
  switch (shape) {
    case 'path':
      return attributes.get('d') ?? '';
    case 'line':
      return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`;
    case 'circle':
      return ellipse(number('cx'), number('cy'), number('r'), number('r'));
    case 'ellipse':
      return ellipse(number('cx'), number('cy'), number('rx'), number('ry'));
    case 'rect': {
      const box = { x: number('x'), y: number('y'), width: number('width'), height: number('height') };
      return rectangle(box, number('rx', number('ry')));
    }
    case 'polyline':
      return `M${attributes.get('points')}`;
    case 'polygon':
      return `M${attributes.get('points')}z`;
    default:
      return undefined;
  }
}

const ellipse = (x: number, y: number, rx: number, ry: number): string =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function rectangle({ x, y, width, height }: Box, r: number): string {
  if (r === 0) return `M${x} ${y}h${width}v${height}h${-width}z`;
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  const [across, down] = [width - 2 * r, height - 2 * r];
  return `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}z`;
}

/** PDF has moves, lines, cubic curves and closing only. */
function operatorsOf(d: string): string {
  const reduced = new SVGPathData(d).toAbs().normalizeHVZ(false).normalizeST().qtToC().aToC();
  return reduced.commands
    .map(command => {
      switch (command.type) {
        case SVGPathData.MOVE_TO:
          return `${numbers(command.x, command.y)} m\n`;
        case SVGPathData.LINE_TO:
          return `${numbers(command.x, command.y)} l\n`;
        case SVGPathData.CURVE_TO:
          return `${numbers(command.x1, command.y1, command.x2, command.y2, command.x, command.y)} c\n`;
        case SVGPathData.CLOSE_PATH:
          return 'h\n';
        default:
          throw new Error(`The path "${d}" was not reduced to lines and cubic curves.`);
      }
    })
    .join('');
}

const numbers = (...values: number[]): string => rounded(values, 3);
