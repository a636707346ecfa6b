/** The CRM's scalars: older methods return text, newer ones typed values; both are parsed to the same value. */
import { z } from 'zod';
import { CrmOutcome } from '../types.ts';

export const Id = z.preprocess(id => (typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id), z.int());

/** 0 and '' mean no record. */
export const IdOrNull = z.preprocess(id => (id === 0 || id === '0' || id === '' ? null : (id ?? null)), Id.nullable());

export const Text = z.preprocess(text => text ?? '', z.string());

export const TextOrNull = z.preprocess(
  text => (typeof text === 'number' ? String(text) : text === '' ? null : (text ?? null)),
  z.string().nullable(),
);

export const Time = z.iso.datetime({ offset: true }).transform(text => new Date(text));

/** As the CRM writes it: `2024-09-02T15:37:18+00:00`, without milliseconds and without `Z`. */
export const timeText = (time: Date): string => `${time.toISOString().slice(0, 19)}+00:00`;

export const TimeOrNull = z.union([Time, z.literal('').transform(() => null), z.null()]).default(null);

/** Normalises `19999.9900`, `19999.99` and 19999.99 to two decimals, or more where needed. */
export const Money = z.preprocess(
  amount => (typeof amount === 'number' ? String(amount) : amount === '' ? '0' : (amount ?? '0')),
  z
    .string()
    .refine(text => /^-?\d+(\.\d+)?$/.test(text), 'must be a decimal')
    .overwrite(plainDecimal),
);

function plainDecimal(text: string): string {
  const [whole = '0', decimals = ''] = text.split('.');
  return `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
}

const yesNo = new Map<unknown, boolean>([
  ['Y', true],
  ['1', true],
  ['N', false],
  ['0', false],
  [null, false],
]);
export const YesNo = z.preprocess(value => yesNo.get(value) ?? value, z.boolean());

/** The CRM's S is won, F is lost, anything else is open. */
export const Semantic = z.preprocess(letter => (letter === 'S' ? 'won' : letter === 'F' ? 'lost' : 'open'), CrmOutcome);

/** The CRM is written in PHP, which returns an empty map as an empty list. */
export const mapOf = <V extends z.ZodType>(value: V) =>
  z.preprocess(given => (Array.isArray(given) && given.length === 0 ? {} : given), z.record(z.string(), value));
