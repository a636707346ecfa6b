/** Marks the content of a page as PDF/UA-1 requires (ISO 32000-1, 14.6 and 14.8.2). */
import type { CharacterMaps } from './character-maps.ts';
import { PdfStructureError } from './pdf-file.ts';
import { type Mark, union } from './structure-tree.ts';

/** The transformation of coordinates, as an operand of `cm` (ISO 32000-1, 8.3.4). */
type Matrix = readonly [number, number, number, number, number, number];

/** A change of the coordinates; most are never needed. */
interface Coordinates {
  operands: string;
  outer: Coordinates | undefined;
  matrix?: Matrix;
}

const marking = /<<\/MCID (\d+) ?>> ?BDC$/;
/** Operators outside text objects that paint; each is at the end of a line, as Skia writes them. */
const painting = new Set(['Do', 'f', 'f*', 'S', 's', 'B', 'B*', 'b', 'b*', 'sh']);
const endOfText = '\nET\n';
const textPosition = /(-?[\d.]+) (-?[\d.]+) Tm$/m;
/** In points from the edge of a page, for running headers and footers. */
const marginHeight = 48;

/**
 * Marks content outside the structure tree as artifacts, also content that shows neither text nor a figure; and the language of
 * text in another script than that of its element. Sets `box` and `isDecoration` of the marks.
 * @param marks by identifier
 * @param pageHeight in points
 * @throws PdfStructureError
 */
export function tagContent(content: string, marks: readonly Mark[], maps: CharacterMaps, pageHeight: number): string {
  let tagged = '';
  /** The marked-content sequence or the content between two of them, up to `from`. */
  let part = '';
  let from = 0;
  let mark: Mark | undefined;
  let paints = false;
  /** The first text and its coordinates. */
  let shown: { text: string; coordinates: Coordinates | undefined } | undefined;
  let coordinates: Coordinates | undefined;
  const saved: (Coordinates | undefined)[] = [];

  function endPart(at: number, opening: string, closing = ''): void {
    tagged += opening + part + content.slice(from, at) + closing;
    [part, from, paints, shown] = ['', at, false, undefined];
  }

  const artifact = () => artifactAt(shown && heightOf(shown.text, matrixOf(shown.coordinates)), pageHeight);
  const endGap = (at: number) => (paints ? endPart(at, artifact(), 'EMC\n') : endPart(at, ''));

  function showText(at: number): number {
    const end = content.indexOf(endOfText, at) + endOfText.length;
    if (end < endOfText.length) throw new PdfStructureError('A text object of the PDF has no end.');
    const text = content.slice(at, end);
    const lang = maps.read(text);
    shown ??= { text, coordinates };
    if (mark === undefined || lang === undefined || lang === mark.owner.lang) return end;
    part += `${content.slice(from, at)}/Span <</Lang (${lang})>> BDC\n${text}EMC\n`;
    from = end;
    return end;
  }

  function begin(at: number, next: number): void {
    const id = marking.exec(content.slice(at, next - 1))?.[1];
    if (id === undefined) return;
    endGap(at);
    mark = marks[Number(id)];
    if (mark === undefined) throw new PdfStructureError('The structure tree lacks a part of the content.');
    from = next;
  }

  function end(next: number): void {
    if (!mark) return;
    mark.isDecoration = shown === undefined && mark.owner.type !== 'Figure';
    endPart(next, mark.isDecoration ? plainArtifact : `/${mark.owner.type} <</MCID ${mark.id}>> BDC\n`);
    mark = undefined;
  }

  for (let at = 0, next = 0; at < content.length; at = next) {
    next = content.indexOf('\n', at) + 1 || content.length + 1;
    const operator = content.slice(Math.max(content.lastIndexOf(' ', next - 1) + 1, at), next - 1);
    if (operator === 'q') saved.push(coordinates);
    else if (operator === 'Q') coordinates = saved.pop();
    else if (operator === 'cm') coordinates = { operands: content.slice(at, next - 4), outer: coordinates };
    else if (operator.endsWith('BDC')) begin(at, next);
    else if (operator === 'EMC') end(next);
    else if (operator === 'BT') [paints, next] = [true, showText(at)];
    else if (painting.has(operator)) {
      paints = true;
      if (mark && operator === 'Do')
        mark.box = union(mark.box ?? [0, 0, 0, 0], unitSquare(matrixOf(coordinates), pageHeight));
    }
  }
  endGap(content.length);
  return tagged;
}

function matrixOf(coordinates: Coordinates | undefined): Matrix {
  if (!coordinates) return [1, 0, 0, 1, 0, 0];
  coordinates.matrix ??= product(coordinates.operands.split(' ').map(Number), matrixOf(coordinates.outer));
  return coordinates.matrix;
}

function heightOf(text: string, [, b, , d, , f]: Matrix): number {
  const [, x, y] = textPosition.exec(text) ?? [];
  return b * Number(x) + d * Number(y) + f;
}

const plainArtifact = '/Artifact BMC\n';

function artifactAt(textAt: number | undefined, pageHeight: number): string {
  if (textAt === undefined || Math.abs(textAt - pageHeight / 2) < pageHeight / 2 - marginHeight) return plainArtifact;
  return `/Artifact <</Type /Pagination /Subtype /${textAt < marginHeight ? 'Footer' : 'Header'}>> BDC\n`;
}

function product([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[], by: Matrix): Matrix {
  const [A, B, C, D, E, F] = by;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** The rectangle around it, where images are drawn, within the page. */
function unitSquare([a, b, c, d, e, f]: Matrix, pageHeight: number) {
  const within = (value: number) => Number(Math.min(Math.max(value, 0), pageHeight).toFixed(2));
  const [xs, ys] = [[e, e + a, e + c, e + a + c].map(within), [f, f + b, f + d, f + b + d].map(within)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
}
