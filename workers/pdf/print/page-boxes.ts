/** Tells a printing house where to cut: the boxes of a page (ISO 32000-1, 14.11.2) and its crop marks. */
import { bleedMm, marginOf, type SheetName, trimMm } from '../layout/sheet.ts';
import { PdfStructureError } from './pdf-file.ts';

const pointsPerMm = 72 / 25.4;
/** Outside the bleed, so that no mark is left on a page that is cut inaccurately. */
const markMm = { from: bleedMm + 1, to: bleedMm + 6 };
const mediaBox = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/;
const contents = /\/Contents (\d+ 0 R)/;

/** The height in whole points of a page of the print. */
export const pageHeightOf = (page: string): number => Math.round(Number(mediaBox.exec(page)?.[2] ?? 842));

/**
 * @param page the dictionary of a page
 * @param marks number of the object with the crop marks
 * @throws PdfStructureError
 */
export function withBoxes(page: string, sheet: SheetName, marks: number): string {
  const [, width, height] = mediaBox.exec(page) ?? [];
  if (width === undefined || height === undefined || !contents.test(page))
    throw new PdfStructureError('The PDF has a page without size or content.');
  const media = [Number(width), Number(height)] as const;
  const trim = trimOf(sheet, media[1]);
  const outset = bleedMm * pointsPerMm;
  const bleed = [
    Math.max(trim[0] - outset, 0),
    Math.max(trim[1] - outset, 0),
    Math.min(trim[2] + outset, media[0]),
    Math.min(trim[3] + outset, media[1]),
  ];
  const boxes = `\n/TrimBox ${list(trim)}\n/BleedBox ${list(bleed)}`;
  const sized = page.replace(mediaBox, found => found + boxes);
  return sheet === 'crop-marks' ? sized.replace(contents, `/Contents [${marks} 0 R $1]`) : sized;
}

/** A content stream with two lines at each corner of the page, which screen readers skip. */
export function cropMarks(page: string): string {
  const [left, bottom, right, top] = trimOf('crop-marks', Number(mediaBox.exec(page)?.[2]));
  const [from, to] = [markMm.from * pointsPerMm, markMm.to * pointsPerMm];
  const line = (...points: readonly number[]) => {
    const [x1, y1, x2, y2] = points.map(point => point.toFixed(2));
    return `${x1} ${y1} m ${x2} ${y2} l`;
  };
  const vertical = [left, right].flatMap(x => [
    line(x, top + from, x, top + to),
    line(x, bottom - from, x, bottom - to),
  ]);
  const horizontal = [bottom, top].flatMap(y => [
    line(left - from, y, left - to, y),
    line(right + from, y, right + to, y),
  ]);
  const drawing = `/Artifact BMC\nq 0.25 w 0 G\n${[...vertical, ...horizontal].join('\n')}\nS Q\nEMC\n`;
  return `<</Length ${drawing.length}>> stream\n${drawing}\nendstream`;
}

/** The browser lays out pages from their upper left corner. */
function trimOf(sheet: SheetName, heightPt: number) {
  const margin = marginOf(sheet) * pointsPerMm;
  const top = heightPt - margin;
  return [margin, top - trimMm.height * pointsPerMm, margin + trimMm.width * pointsPerMm, top] as const;
}

const list = (points: readonly number[]): string => `[${points.map(point => Number(point.toFixed(2))).join(' ')}]`;
