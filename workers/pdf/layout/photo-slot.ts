/** The places of photos on a page, and how large a photo may be printed. */
import type { DesignName } from '../contract.ts';

interface Size {
  widthMm: number;
  heightMm: number;
}

export interface PhotoSlot extends Size {
  name: string;
  /** The part of a photo that remains when its shape differs: the most salient one, or the centre. */
  crop: 'attention' | 'centre';
  /** A drawing with small text: printed with more detail than a photo. */
  isDrawing?: boolean;
  /** The edges of the page along the slot, by the direction of the page's text; absent: none. */
  edges?: { start: boolean; end: boolean; top: boolean };
}

/** Size of a fetched photo after EXIF rotation. */
export interface PhotoShape {
  widthPx: number;
  heightPx: number;
}

export interface PlacedPhoto {
  slot: PhotoSlot;
  /** Index into the photos given to `arrange`; null for the placeholder. */
  photo: number | null;
}

/** Photos with fewer pixels per inch are printed smaller: in print, they look coarse. Screens show images pixel by pixel. */
const minDpi = (name: DesignName | 'card') => (name === 'card' ? 96 : 110);

/** Pixels per inch of a photo that fills a slot. */
export const dpiIn = ({ widthMm, heightMm }: Size, { widthPx, heightPx }: PhotoShape): number =>
  25.4 * Math.min(widthPx / widthMm, heightPx / heightMm);

/** The slot, with sides as short as the pixels of the photo require: in the photo's own shape when both are. */
export function slotForPixels<S extends Size>(
  slot: S,
  { widthPx, heightPx }: PhotoShape,
  name: DesignName | 'card',
): S {
  const longest = (px: number) => Math.floor((2540 * px) / minDpi(name)) / 100;
  const [widthMm, heightMm] = [Math.min(slot.widthMm, longest(widthPx)), Math.min(slot.heightMm, longest(heightPx))];
  return { ...slot, widthMm, heightMm };
}

/** The slot, or a smaller one of the same shape when the photo has too few pixels for it. */
export function slotWithin(slot: PhotoSlot, photo: PhotoShape, name: DesignName | 'card'): PhotoSlot {
  const scale = dpiIn(slot, photo) / minDpi(name);
  if (scale >= 1) return slot;
  const [widthMm, heightMm] = [slot.widthMm, slot.heightMm].map(mm => Math.round(mm * scale * 100) / 100);
  return { ...slot, widthMm: widthMm ?? 0, heightMm: heightMm ?? 0 };
}

/** Narrower photos are never shown large. */
export const minLargePx = 500;

/** A photo that can be shown large: neither tiny nor a portrait. */
export const isWideEnough = ({ widthPx, heightPx }: PhotoShape): boolean =>
  widthPx >= minLargePx && widthPx >= heightPx;
