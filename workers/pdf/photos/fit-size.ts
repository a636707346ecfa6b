/** How many pixels a slot takes, and how a photo is cut to its shape. Pure arithmetic. */
import type { PhotoShape, PhotoSlot } from '../layout/design.ts';
import { printGrade } from './photo-grade.ts';

const mmPerInch = 25.4;

/** Less cut away than this share of a side, and where to cut does not matter: the centre. */
const negligibleCut = 0.08;

/** A strip larger than this at its printed scale, 36 MB of pixels, is not looked at: the centre of it will do. */
const mostLookedAtPx = 12_000_000;

export interface FitSize {
  widthPx: number;
  heightPx: number;
  crop: PhotoSlot['crop'];
  /** The whole photo at the same scale: it reaches beyond in one direction at most. */
  whole: { widthPx: number; heightPx: number };
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
  const widthPx = Math.max(1, Math.round(width * available));
  const heightPx = Math.max(1, Math.round(height * available));
  const scale = Math.max(widthPx / photo.widthPx, heightPx / photo.heightPx);
  const whole = {
    widthPx: Math.max(widthPx, Math.round(photo.widthPx * scale)),
    heightPx: Math.max(heightPx, Math.round(photo.heightPx * scale)),
  };
  const isCentred = cutShare(slot, photo) < negligibleCut || whole.widthPx * whole.heightPx > mostLookedAtPx;
  return { widthPx, heightPx, crop: isCentred ? 'centre' : slot.crop, whole };
}

/** The share of the photo's longer-than-needed side that does not fit into the slot: 0 for the same shape. */
function cutShare(slot: PhotoSlot, photo: PhotoShape): number {
  const ratio = slot.widthMm / slot.heightMm / (photo.widthPx / photo.heightPx);
  return 1 - Math.min(ratio, 1 / ratio);
}
