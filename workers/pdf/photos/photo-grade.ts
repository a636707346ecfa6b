/** How finely photos are stored in a PDF: the grade of print, and the coarser ones it steps down to for fewer bytes. */

export interface PhotoGrade {
  /** Pixels to an inch on paper. */
  dpi: number;
  /** Of JPEG, 1 to 100. */
  quality: number;
}

interface Step extends PhotoGrade {
  /** Bytes for those of print, as 36 photos of homes came out; others differ by a fifth. */
  share: number;
}

/**
 * Enough for a printed brochure seen at arm's length; 200 dpi costs 1.6 times the bytes and shows no difference there.
 * Down the steps resolution and quality fall together: either alone would show sooner for the same bytes.
 */
const steps: readonly [Step, ...Step[]] = [
  { dpi: 150, quality: 75, share: 1 },
  { dpi: 150, quality: 60, share: 0.74 },
  { dpi: 130, quality: 55, share: 0.54 },
  { dpi: 110, quality: 52, share: 0.4 },
  { dpi: 96, quality: 48, share: 0.3 },
  { dpi: 82, quality: 44, share: 0.22 },
  { dpi: 72, quality: 40, share: 0.17 },
  { dpi: 60, quality: 34, share: 0.11 },
  { dpi: 50, quality: 28, share: 0.07 },
];

export const printGrade: PhotoGrade = steps[0];

/**
 * @param share the bytes that photos may have, for those they have at `grade`
 * @returns the finest coarser grade likely to do, else the coarsest; undefined when `grade` is that
 */
export function coarserGrade(grade: PhotoGrade, share: number): PhotoGrade | undefined {
  const at = steps.findIndex(({ dpi, quality }) => dpi === grade.dpi && quality === grade.quality);
  const coarser = steps.slice(at + 1);
  const wanted = share * (steps[at]?.share ?? 1);
  return coarser.find(step => step.share <= wanted) ?? coarser.at(-1);
}
