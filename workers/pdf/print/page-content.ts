/** Marks the content of a page as PDF/UA-1 requires (ISO 32000-1, 14.6 and 14.8.2). */
import type { CharacterMaps } from './character-maps.ts';
import { PdfStructureError } from './pdf-file.ts';
import { type Mark, union } from './structure-tree.ts';

/** As an operand of `cm` (ISO 32000-1, 8.3.4). */
type Matrix = readonly [number, number, number, number, number, number];

/** Those outside text objects, on lines of their own as Skia writes them; text objects are skipped whole. */
const operator =
  /^(?:\/\w+ <<\/MCID (\d+) ?>> ?BDC|(EMC)|((?:-?[\d.]+ ){6})cm|(q)|(Q)|(BT)|\/\w+ Do|f\*?|S|s|[Bb]\*?|sh)$/gm;
const endOfText = '\nET\n';
const textPosition = /(-?[\d.]+) (-?[\d.]+) Tm$/m;
/** In points from the edge of an A4 page, for running headers and footers. */
const marginHeight = 48;
const pageHeight = 842;

/**
 * Marks content outside the structure tree as artifacts, also content that shows neither text nor a figure; and the language of
 * text in another script than that of its element. Sets `box` and `isDecoration` of the marks.
 * @param marks by identifier
 * @throws PdfStructureError
 */
export function tagContent(content: string, marks: readonly Mark[], maps: CharacterMaps): string {
  let tagged = '';
  /** The marked-content sequence or the content between two of them, up to `from`. */
  let part = '';
  let from = 0;
  let mark: Mark | undefined;
  let paints = false;
  /** Height on the page of the first text. */
  let textAt: number | undefined;
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  const saved: Matrix[] = [];

  function endPart(at: number, opening: string, closing = ''): void {
    tagged += opening + part + content.slice(from, at) + closing;
    [part, from, paints, textAt] = ['', at, false, undefined];
  }

  const endGap = (at: number) => (paints ? endPart(at, artifactAt(textAt), 'EMC\n') : endPart(at, ''));

  function showText(at: number): number {
    const end = content.indexOf(endOfText, at) + endOfText.length;
    if (end < endOfText.length) throw new PdfStructureError('A text object of the PDF has no end.');
    const text = content.slice(at, end);
    const lang = maps.read(text);
    textAt ??= heightOf(text, matrix);
    if (mark === undefined || lang === undefined || lang === mark.owner.lang) return end;
    part += `${content.slice(from, at)}/Span <</Lang (${lang})>> BDC\n${text}EMC\n`;
    from = end;
    return end;
  }

  operator.lastIndex = 0;
  for (let match = operator.exec(content); match !== null; match = operator.exec(content)) {
    const [line, id, isEnd, numbers, isSave, isRestore, isText] = match;
    const next = match.index + line.length + 1;
    if (isSave) saved.push(matrix);
    else if (isRestore) matrix = saved.pop() ?? matrix;
    else if (numbers !== undefined) matrix = product(numbers.split(' ').map(Number), matrix);
    else if (id !== undefined) {
      endGap(match.index);
      mark = marks[Number(id)];
      if (mark === undefined) throw new PdfStructureError('The structure tree lacks a part of the content.');
      from = next;
    } else if (isEnd && mark) {
      mark.isDecoration = textAt === undefined && mark.owner.type !== 'Figure';
      endPart(next, mark.isDecoration ? artifactAt(undefined) : `/${mark.owner.type} <</MCID ${mark.id}>> BDC\n`);
      mark = undefined;
    } else {
      paints = true;
      if (isText) operator.lastIndex = showText(match.index);
      else if (mark && line.endsWith('Do')) mark.box = union(mark.box ?? [0, 0, 0, 0], unitSquare(matrix));
    }
  }
  endGap(content.length);
  return tagged;
}

function heightOf(text: string, [, b, , d, , f]: Matrix): number {
  const [, x, y] = textPosition.exec(text) ?? [];
  return b * Number(x) + d * Number(y) + f;
}

function artifactAt(textAt: number | undefined): string {
  if (textAt === undefined || Math.abs(textAt - pageHeight / 2) < pageHeight / 2 - marginHeight)
    return '/Artifact BMC\n';
  return `/Artifact <</Type /Pagination /Subtype /${textAt < marginHeight ? 'Footer' : 'Header'}>> BDC\n`;
}

function product([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[], by: Matrix): Matrix {
  const [A, B, C, D, E, F] = by;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** The rectangle around it, where images are drawn, within the page. */
function unitSquare([a, b, c, d, e, f]: Matrix) {
  const within = (value: number) => Number(Math.min(Math.max(value, 0), pageHeight).toFixed(2));
  const [xs, ys] = [[e, e + a, e + c, e + a + c].map(within), [f, f + b, f + d, f + b + d].map(within)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
}
