/** Parses and formats numbers. 1250000, 1,250,000 and 1250000.00 are numbers; "Studio" and "7+" are not. */

const plainNumber = /^\d{1,15}(?:\.\d{0,6})?$/;
const groupedNumber = /^\d{1,3}(?:,\d{3}){1,4}(?:\.\d{0,6})?$/;

/** Returns null for other text, negative numbers, and numbers with more than 15 digits. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim();
  if (!plainNumber.test(trimmed) && !groupedNumber.test(trimmed)) return null;
  return Number(trimmed.replaceAll(',', ''));
}

/** True for yes, true, 1 and y, in any case. */
export const isYes = (text: string): boolean => /^(?:yes|true|1|y)$/i.test(text.trim());

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** "1,250,000", rounded. */
export const wholeNumber = (value: number): string => whole.format(value);

/** "1,250,000", or "1,250,000.50" for an amount with a fraction. */
export const money = (value: number): string =>
  Number.isInteger(Math.round(value * 100) / 100) ? whole.format(value) : cents.format(value);

/** "3" and "3.5". */
export const oneDecimal = (value: number): string => tenths.format(value);
