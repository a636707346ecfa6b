/** The dirham's sign (U+20C3, Unicode 18), for houses whose face has it. */

const dirham = '\u20C3';

/** Whether a face of the style sheet says by its `unicode-range` that it has the sign. */
export function dirhamSign(fontStyles: string): string | null {
  const ranges = [...fontStyles.matchAll(/U\+([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?/gi)];
  const code = dirham.charCodeAt(0);
  const isCovered = ranges.some(([, from = '', to = from]) => {
    return Number.parseInt(from, 16) <= code && code <= Number.parseInt(to, 16);
  });
  return isCovered ? dirham : null;
}
