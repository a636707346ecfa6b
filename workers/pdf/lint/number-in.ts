/** The number that a listing's text stands for, as the pages read it. */

/** 1250000, 1,250,000 and 1250000.00; undefined for text that is none ("Studio", "7+"). */
export function numberIn(text: string): number | undefined {
  const isNumber = /^(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{0,6})?$/.test(text);
  return isNumber ? Number(text.replaceAll(',', '')) : undefined;
}

/** Yes, true, 1, y in any case. */
export const saysYes = (text: string): boolean => /^(?:yes|true|1|y)$/i.test(text);

export const inThousands = (value: number): string => new Intl.NumberFormat('en').format(Math.round(value));
