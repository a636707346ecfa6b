/** The CRM's scalars: older methods return text, newer ones typed values; both are parsed to the same value. */
import { z } from 'zod';
import type { CrmOutcome } from '../types.ts';

export const Id = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]);

/** 0 and '' mean no record. */
export const IdOrNull = z.union([
  Id.transform(id => (id === 0 ? null : id)),
  z.literal('').transform(() => null),
  z.null(),
]);

export const Text = z.union([z.string(), z.null().transform(() => '')]).default('');

export const TextOrNull = z
  .union([z.string(), z.number().transform(String), z.null()])
  .default(null)
  .transform(text => (text === '' ? null : text));

export const Time = z.iso.datetime({ offset: true }).transform(text => new Date(text));

/** As the CRM writes it: `2024-09-02T15:37:18+00:00`, without milliseconds and without `Z`. */
export const timeText = (time: Date): string => `${time.toISOString().slice(0, 19)}+00:00`;

export const TimeOrNull = z.union([Time, z.literal('').transform(() => null), z.null()]).default(null);

/** Normalises `19999.9900`, `19999.99` and 19999.99 to two decimals, or more where needed. */
export const Money = z
  .union([
    z.string().regex(/^-?\d+(\.\d+)?$/),
    z.number().transform(String),
    z.literal('').transform(() => '0'),
    z.null().transform(() => '0'),
  ])
  .default('0')
  .transform(plainDecimal);

function plainDecimal(text: string): string {
  const [whole = '0', decimals = ''] = text.split('.');
  return `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

export const YesNo = z
  .union([z.boolean(), z.enum(['Y', 'N']), z.enum(['1', '0']), z.null()])
  .transform(value => value === true || value === 'Y' || value === '1');

/** The CRM's S is won, F is lost, anything else is open. */
export const Semantic = z
  .union([z.string(), z.null()])
  .default(null)
  .transform((letter): CrmOutcome => (letter === 'S' ? 'won' : letter === 'F' ? 'lost' : 'open'));

/** The CRM is written in PHP, which returns an empty map as an empty list. */
export const mapOf = <V extends z.ZodType>(value: V) =>
  z.preprocess(given => (Array.isArray(given) && given.length === 0 ? {} : given), z.record(z.string(), value));
