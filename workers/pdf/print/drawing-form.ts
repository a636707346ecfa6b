/** An SVG drawing as a form XObject (ISO 32000-1, 8.10), which stands in a PDF wherever a picture can. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { type Attributes, pathOperators } from './path-operators.ts';
import type { Inlay } from './stand-ins.ts';

export interface Drawing {
  /** What `currentColor` is: "#8A5A2B". */
  colour: string;
  /** Those of the element that holds the shapes. */
  attributes: Attributes;
  /** The shapes' markup. */
  shapes: string;
}

/** A drawing that says more of its look than is known here: the browser draws it itself. */
export class NotDrawable extends Error {}

const shape = /<(\w+)\b([^>]*?)\/?>/g;
const attribute = /([\w:-]+)="([^"]*)"/g;

export const attributesOf = (markup: string): Attributes =>
  new Map([...markup.matchAll(attribute)].map(([, name = '', value = '']) => [name, value]));

/** Of the look as a whole; the others here change nothing on paper. */
const known =
  /^(viewBox|fill|stroke|stroke-width|stroke-linecap|stroke-linejoin|id|class|xmlns|role|aria-.*)$/;
const knownOfShapes = /^(d|points|cx|cy|r|rx|ry|x|y|x1|y1|x2|y2|width|height|fill|stroke)$/;

/** ISO 32000-1, tables 54 and 55, by the names that SVG 2 (13.5) has for them. */
const lineCaps: Readonly<Record<string, number>> = { butt: 0, round: 1, square: 2 };
const lineJoins: Readonly<Record<string, number>> = { miter: 0, round: 1, bevel: 2 };

/** @throws NotDrawable */
export function drawingInlay(drawing: Drawing): Inlay {
  const [x = 0, y = 0, width = Number.NaN, height = Number.NaN] =
    drawing.attributes.get('viewBox')?.split(' ').map(Number) ?? [];
  if (!(width > 0 && height > 0)) throw new NotDrawable('A drawing has no view box.');
  const content = Buffer.from(contentOf(drawing), 'latin1');
  const entries = new Map([
    ['Type', '/XObject'],
    ['Subtype', '/Form'],
    ['BBox', `[${x} ${y} ${x + width} ${y + height}]`],
    // A picture fills the unit square, upwards (8.9.4); an SVG runs downwards.
    ['Matrix', `[${rounded([1 / width, 0, 0, -1 / height, -x / width, (y + height) / height])}]`],
    ['Resources', '<<>>'],
    ['Filter', '/FlateDecode'],
  ]);
  const hash = createHash('sha256')
    .update(JSON.stringify([...entries]))
    .update(content)
    .digest('hex');
  return { kind: 'drawing', hash, entries, body: deflateSync(content) };
}

function contentOf({ colour, attributes, shapes }: Drawing): string {
  refuseOthers(attributes, known);
  const drawn = [...shapes.matchAll(shape)].map(([, name = '', markup = '']) => {
    const own = attributesOf(markup);
    refuseOthers(own, knownOfShapes);
    const said = (what: string, otherwise: string) => own.get(what) ?? attributes.get(what) ?? otherwise;
    const operators = pathOperators(name, own);
    if (operators === undefined) throw new NotDrawable(`No drawing has a ${name}.`);
    return operators + paintingOperator(said('fill', 'black'), said('stroke', 'none'));
  });
  return graphicsState(colour, attributes) + drawn.join('');
}

function refuseOthers(attributes: Attributes, allowed: RegExp): void {
  for (const name of attributes.keys())
    if (!allowed.test(name)) throw new NotDrawable(`A drawing has the attribute ${name}.`);
}

function graphicsState(colour: string, attributes: Attributes): string {
  const colours = colourOperands(colour);
  const width = Number(attributes.get('stroke-width') ?? 1);
  const cap = lineCaps[attributes.get('stroke-linecap') ?? 'butt'];
  const join = lineJoins[attributes.get('stroke-linejoin') ?? 'miter'];
  if (!(width >= 0) || cap === undefined || join === undefined)
    throw new NotDrawable('A drawing has a stroke of a kind of its own.');
  return `${colours} RG ${colours} rg ${width} w ${cap} J ${join} j 4 M\n`;
}

/** ISO 32000-1, 8.5.3.1. */
function paintingOperator(fill: string, stroke: string): string {
  for (const paint of [fill, stroke])
    if (paint !== 'none' && paint !== 'currentColor') throw new NotDrawable(`A drawing is painted ${paint}.`);
  if (fill === 'none') return stroke === 'none' ? 'n\n' : 'S\n';
  return stroke === 'none' ? 'f\n' : 'B\n';
}

function colourOperands(colour: string): string {
  const parts = /^#(..)(..)(..)$/.exec(colour)?.slice(1);
  if (!parts) throw new NotDrawable(`A drawing has the colour ${colour}.`);
  return rounded(parts.map(part => Number.parseInt(part, 16) / 255));
}

const rounded = (values: readonly number[]): string =>
  values.map(value => String(Number(value.toFixed(6)))).join(' ');
