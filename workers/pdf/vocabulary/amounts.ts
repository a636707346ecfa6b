/** Prices and sizes as people write them: "AED 3.2M", "3,200,000 AED", "1,874 sqft", "174 m²". */
import { numberOf } from '../../../core/values/number-text.ts';

const squareMetresPerSquareFoot = 0.09290304;

const currencies: readonly (readonly [code: string, RegExp])[] = [
  ['AED', /^(?:aed|dhs?|dirhams?|د\.?إ\.?|درهم(?: إماراتي)?|\u20C3)\.?$/i],
  ['USD', /^(?:usd|us\$|\$)$/i],
  ['EUR', /^(?:eur|€)$/i],
  ['GBP', /^(?:gbp|£)$/i],
  ['SAR', /^(?:sar|ريال)$/i],
];

const multipliers: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  ألف: 1e3,
  m: 1e6,
  mn: 1e6,
  mln: 1e6,
  mil: 1e6,
  million: 1e6,
  مليون: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
};

/** A currency or a multiplier before or after the number, without digits. */
const price = /^([^\d,]{0,20})(\d[\d.,]{0,25})\s?([^\d.,\s]{0,12})(?:\s?(\D{1,20}))?$/;

/** null for text that is not one amount: "from 1.2M", "Ask". `currency`: ISO 4217, AED when the text names none. */
export function priceIn(text: string): { amount: number; currency: string } | null {
  const [, before = '', digits = '', unit = '', after = ''] =
    price.exec(text.trim().replace(/\/-$/, '').trimEnd()) ?? [];
  const number = numberOf(digits);
  if (number === null) return null;
  const multiplier = multipliers[unit.toLowerCase()];
  const names = [before, multiplier === undefined ? `${unit} ${after}` : after]
    .map(name => name.trim())
    .filter(Boolean);
  const [name, second] = names;
  if (second !== undefined) return null;
  const currency = name === undefined ? 'AED' : currencies.find(([, pattern]) => pattern.test(name))?.[0];
  if (currency === undefined) return null;
  // 3.2 × 1,000,000 is 3200000.0000000005 in binary fractions.
  return { amount: Math.round(number * (multiplier ?? 1) * 100) / 100, currency };
}

const metric = /^(?:m²|m2|sqm|sq\.? ?m(?:t|tr|et(?:er|re)s?)?|square met(?:er|re)s?|متر(?: مربع)?|م²|م2)\.?$/i;
const imperial = /^(?:ft²|ft2|sqft|sft|sf|sq\.? ?f(?:ee)?t|square f(?:ee|oo)t|قدم(?: مربعة?)?|قدم²)\.?$/i;

const size = /^(\d[\d.,]{0,25})\s?(\D{0,16}[2²]?)$/;

/** In square feet; a number without a unit is one of square feet. null for other text: "large", "800-900 sqft". */
export function squareFeetIn(text: string): number | null {
  const [, digits = '', unit = ''] = size.exec(text.trim()) ?? [];
  const number = numberOf(digits);
  if (number === null) return null;
  if (unit === '' || imperial.test(unit)) return number;
  return metric.test(unit) ? number / squareMetresPerSquareFoot : null;
}

export const squareMetresOf = (squareFeet: number): number => squareFeet * squareMetresPerSquareFoot;
