/** The pages of floor plans after the pages of a listing, in both designs: each plan whole, as large as possible. */
import type { PhotoShape, PhotoSlot } from './photo-slot.ts';

/** The area of the plans with their captions. */
const area = { widthMm: 182, heightMm: 228 };
const gapMm = 8;
const captionMm = 8;
/** A plan that is enlarged more is blurred. */
const minDpi = 72;
const mmPerInch = 25.4;

/** More would make the dimensions illegible. */
const plansPerPage = 2;

/** The same plans by page, for a listing's number of pages too. */
export const plansByPage = <T>(plans: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(plans.length / plansPerPage) }, (_, page) =>
    plans.slice(page * plansPerPage, (page + 1) * plansPerPage),
  );

/** One slot for each plan, in its shape. */
export const planSlots = (plans: readonly PhotoShape[]): PhotoSlot[] => plansByPage(plans).flatMap(slotsOfPage);

/** With the number of columns that leaves the least paper empty. */
function slotsOfPage(plans: readonly PhotoShape[]): PhotoSlot[] {
  const choices = plans.map((_, at) => slotsIn(plans, at + 1));
  const areaOf = (slots: readonly PhotoSlot[]) => slots.reduce((sum, slot) => sum + slot.widthMm * slot.heightMm, 0);
  return choices.reduce<PhotoSlot[]>((best, slots) => (areaOf(slots) > areaOf(best) ? slots : best), []);
}

function slotsIn(plans: readonly PhotoShape[], columns: number): PhotoSlot[] {
  const rows = Math.ceil(plans.length / columns);
  const cell = {
    widthMm: (area.widthMm - gapMm * (columns - 1)) / columns,
    heightMm: (area.heightMm - gapMm * (rows - 1)) / rows - captionMm,
  };
  return plans.map(({ widthPx, heightPx }) => {
    const scale = Math.min(cell.widthMm / widthPx, cell.heightMm / heightPx, mmPerInch / minDpi);
    const [widthMm, heightMm] = [hundredths(widthPx * scale), hundredths(heightPx * scale)];
    return { name: 'plan', widthMm, heightMm, crop: 'centre', isDrawing: true };
  });
}

const hundredths = (mm: number): number => Math.round(mm * 100) / 100;
