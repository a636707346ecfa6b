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

const shape = /<(\w+)\b([^>]*?)\/?>/g;
const attribute = /([\w-]+)="([^"]*)"/g;

export const attributesOf = (markup: string): Attributes =>
  new Map([...markup.matchAll(attribute)].map(([, name = '', value = '']) => [name, value]));

/** @throws Error when the drawing has no view box, or a shape or colour that ours have not */
export function drawingInlay(drawing: Drawing): Inlay {
  const [x = 0, y = 0, width = Number.NaN, height = Number.NaN] =
    drawing.attributes.get('viewBox')?.split(' ').map(Number) ?? [];
  if (!(width > 0 && height > 0)) throw new Error('A drawing has no view box.');
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
  const colours = colourOperands(colour);
  const start = `${colours} RG ${colours} rg ${attributes.get('stroke-width') ?? '1'} w 1 J 1 j\n`;
  const drawn = [...shapes.matchAll(shape)].map(([, name = '', markup = '']) => {
    const own = attributesOf(markup);
    const said = (what: string, otherwise: string) => own.get(what) ?? attributes.get(what) ?? otherwise;
    return pathOperators(name, own) + paintingOperator(said('fill', 'black'), said('stroke', 'none'));
  });
  return start + drawn.join('');
}

/** ISO 32000-1, 8.5.3.1. */
function paintingOperator(fill: string, stroke: string): string {
  for (const paint of [fill, stroke])
    if (paint !== 'none' && paint !== 'currentColor') throw new Error(`A drawing is painted ${paint}.`);
  if (fill === 'none') return stroke === 'none' ? 'n\n' : 'S\n';
  return stroke === 'none' ? 'f\n' : 'B\n';
}

function colourOperands(colour: string): string {
  const parts = /^#(..)(..)(..)$/.exec(colour)?.slice(1);
  if (!parts) throw new Error(`A drawing has the colour ${colour}.`);
  return rounded(parts.map(part => Number.parseInt(part, 16) / 255));
}

const rounded = (values: readonly number[]): string =>
  values.map(value => String(Number(value.toFixed(6)))).join(' ');
