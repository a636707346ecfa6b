/** Resolution and JPEG quality of photos in a PDF: the qualities of requests, and the lower ones that fit into fewer bytes. */

export interface PhotoQuality {
  /** Pixels per inch on paper. */
  dpi: number;
  /** 1 to 100. */
  jpegQuality: number;
}

/**
 * 150 dpi is enough for screens and office printers at arm's length; printing houses ask for 300 dpi. Resolution and JPEG
 * quality fall together: lowering only one of them is visible sooner for the same bytes. `share`: bytes relative to 150 dpi,
 * the mean of 36 photos of homes; other photos differ by a fifth.
 */
const steps = [
  { dpi: 300, jpegQuality: 80, share: 3.76 },
  { dpi: 200, jpegQuality: 76, share: 1.67 },
  { dpi: 150, jpegQuality: 75, share: 1 },
  { dpi: 150, jpegQuality: 60, share: 0.74 },
  { dpi: 130, jpegQuality: 55, share: 0.54 },
  { dpi: 110, jpegQuality: 52, share: 0.4 },
  { dpi: 96, jpegQuality: 48, share: 0.3 },
  { dpi: 82, jpegQuality: 44, share: 0.22 },
  { dpi: 72, jpegQuality: 40, share: 0.17 },
  { dpi: 60, jpegQuality: 34, share: 0.11 },
  { dpi: 50, jpegQuality: 28, share: 0.07 },
] as const;

/** By the `quality` of a request. A photo with fewer pixels than its slot has at this resolution keeps them. */
export const qualities = { screen: steps[2], print: steps[0] } as const satisfies Record<string, PhotoQuality>;

export const screenQuality: PhotoQuality = qualities.screen;

/**
 * @param share the allowed bytes of the photos, relative to their bytes at `quality`
 * @returns the highest lower quality that probably fits, or else the lowest; undefined when `quality` is the lowest
 */
export function lowerQuality(quality: PhotoQuality, share: number): PhotoQuality | undefined {
  const at = steps.findIndex(({ dpi, jpegQuality }) => dpi === quality.dpi && jpegQuality === quality.jpegQuality);
  const lower = steps.slice(at + 1);
  const maxShare = share * (steps[at]?.share ?? 1);
  return lower.find(step => step.share <= maxShare) ?? lower.at(-1);
}
