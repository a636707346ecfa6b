/** The pages with the photos for which the other pages of a listing have no place, in both designs: rows from margin to margin. */
import type { PhotoShape, PhotoSlot, PlacedPhoto } from './photo-slot.ts';

const area = { widthMm: 182, heightMm: 232 };
const gapMm = 4;

/** More are on two pages. */
const photosOnOnePage = 10;
export const maxFurtherPhotos = 30;

/** Width by height: other photos are cropped more. */
const ratios = { min: 0.6, max: 2.4 };
/** Rows are made lower or taller to fill the page, which crops their photos; taller ones up to this factor. */
const maxStretch = 1.35;
/** Fewer do not fill a page: then the other pages show fewer, too. */
const minPhotos = 4;

const slotName = 'further-';
/** Counts from 0; undefined for a slot on another page. */
export const furtherPageOf = (slot: string): number | undefined =>
  slot.startsWith(slotName) ? Number(slot.slice(slotName.length)) : undefined;

/** @returns the number of photos for the other pages, which have places for `maxPhotos` */
export const photosBeforeFurther = (photos: number, maxPhotos: number): number =>
  photos <= maxPhotos ? photos : Math.min(maxPhotos, photos - minPhotos);

export function furtherPhotos(photos: readonly PhotoShape[], placed: readonly PlacedPhoto[]): PlacedPhoto[] {
  const elsewhere = new Set(placed.map(({ photo }) => photo));
  const further = [...photos.entries()].filter(([at]) => !elsewhere.has(at)).slice(0, maxFurtherPhotos);
  const pages = further.length > photosOnOnePage ? 2 : 1;
  return inGroups(further, pages).flatMap((group, page) => {
    const slots = slotsOfPage(
      group.map(([, shape]) => shape),
      `${slotName}${page}`,
    );
    return group.flatMap(([photo], at) => slots.slice(at, at + 1).map(slot => ({ slot, photo })));
  });
}

/** The number of rows that crops the photos least. */
function slotsOfPage(shapes: readonly PhotoShape[], name: string): PhotoSlot[] {
  const choices = shapes.map((_, at) => {
    const rows = inGroups(shapes.map(ratioOf), at + 1);
    const heights = rows.map(row => (area.widthMm - gapMm * (row.length - 1)) / sum(row));
    return { rows, heights, factor: (area.heightMm - gapMm * at) / sum(heights) };
  });
  const [best] = choices.sort((a, b) => Math.abs(Math.log(a.factor)) - Math.abs(Math.log(b.factor)));
  const factor = Math.min(best?.factor ?? 1, maxStretch);
  return (best?.rows ?? []).flatMap((row, at) =>
    row.map((ratio): PhotoSlot => {
      const naturalMm = best?.heights[at] ?? 0;
      const [widthMm, heightMm] = [hundredths(naturalMm * ratio), hundredths(naturalMm * factor)];
      return { name, widthMm, heightMm, crop: widthMm < heightMm ? 'centre' : 'attention' };
    }),
  );
}

const ratioOf = ({ widthPx, heightPx }: PhotoShape): number =>
  Math.min(Math.max(widthPx / heightPx, ratios.min), ratios.max);

/** In their order, with equal numbers in each group, or one more. */
const inGroups = <T>(all: readonly T[], groups: number): T[][] =>
  Array.from({ length: groups }, (_, at) =>
    all.slice(Math.floor((at * all.length) / groups), Math.floor(((at + 1) * all.length) / groups)),
  );

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** Rounded down: a row that is wider than the page would break. */
const hundredths = (mm: number): number => Math.floor(mm * 100) / 100;
