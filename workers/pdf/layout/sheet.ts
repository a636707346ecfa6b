/** The sheet that a printing house cuts to A4: the page with a bleed on each side, and space for crop marks when asked. */
import type { PhotoSlot } from './photo-slot.ts';

/** `bleed`: 3 mm on each side; `crop-marks`: also the marks outside of it. */
export type SheetName = 'bleed' | 'crop-marks';

export const bleedMm = 3;
export const trimMm = { width: 210, height: 297 };
/** The bleed, and crop marks of 5 mm that begin beyond it. */
const marginWithMarksMm = 10;

/** From the edge of the sheet to that of the page. */
export const marginOf = (sheet: SheetName): number => (sheet === 'bleed' ? bleedMm : marginWithMarksMm);

/** Go before the style sheet of the bleed. */
export function sheetRules(sheet: SheetName): string {
  const marginMm = marginOf(sheet);
  const [width, height] = [trimMm.width + 2 * marginMm, trimMm.height + 2 * marginMm];
  return `@page { size: ${width}mm ${height}mm; } :root { --bleed: ${bleedMm}mm; --sheet: ${marginMm}mm; }`;
}

/** The slot of a photo that covers the bleed at the edges of the page: larger, so that the photo is not stretched. */
export function withBleed(slot: PhotoSlot): PhotoSlot {
  const { edges } = slot;
  if (!edges) return slot;
  const sides = Number(edges.start) + Number(edges.end);
  return {
    ...slot,
    widthMm: Math.round((slot.widthMm + sides * bleedMm) * 100) / 100,
    heightMm: Math.round((slot.heightMm + Number(edges.top) * bleedMm) * 100) / 100,
  };
}
