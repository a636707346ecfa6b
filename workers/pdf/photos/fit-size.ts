/** How many pixels a slot takes, and how a photo is cut to its shape. Pure arithmetic. */
import type { PhotoShape, PhotoSlot } from '../layout/design.ts';
import { printGrade } from './photo-grade.ts';

const mmPerInch = 25.4;

/** Less cut away than this share of a side, and where to cut does not matter: the centre, at half the time. */
const negligibleCut = 0.08;

export interface FitSize {
  widthPx: number;
  heightPx: number;
  crop: PhotoSlot['crop'];
}

/** Rounded to the nearest pixel, at least one. */
export function pixelsOf(mm: number, dpi = printGrade.dpi): number {
  return Math.max(1, Math.round((mm / mmPerInch) * dpi));
}

/**
 * The slot's shape at so many pixels to an inch, or as many pixels of that shape as the photo has: enlarging adds bytes, not detail,
 * and the page sets the size anyway.
 */
export function fitSize(slot: PhotoSlot, photo: PhotoShape, dpi = printGrade.dpi): FitSize {
  const width = pixelsOf(slot.widthMm, dpi);
  const height = pixelsOf(slot.heightMm, dpi);
  const available = Math.min(1, photo.widthPx / width, photo.heightPx / height);
  return {
    widthPx: Math.max(1, Math.round(width * available)),
    heightPx: Math.max(1, Math.round(height * available)),
    crop: cutShare(slot, photo) < negligibleCut ? 'centre' : slot.crop,
  };
}

/** The share of the photo's longer-than-needed side that does not fit into the slot: 0 for the same shape. */
function cutShare(slot: PhotoSlot, photo: PhotoShape): number {
  const ratio = slot.widthMm / slot.heightMm / (photo.widthPx / photo.heightPx);
  return 1 - Math.min(ratio, 1 / ratio);
}
