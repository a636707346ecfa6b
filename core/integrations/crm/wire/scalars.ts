/** The CRM's scalars: older methods write everything as text, newer ones typed; both are read to the same. */
import { z } from 'zod';
import type { CrmOutcome } from '../types.ts';

export const Id = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)]);

/** 0 and nothing stand for no record. */
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

export const TimeOrNull = z.union([Time, z.literal('').transform(() => null), z.null()]).default(null);

/** `19999.9900`, `19999.99` and 19999.99 are the same: two decimals at least, no more than needed. */
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

/** What has become of a record: the CRM's S, F and anything else. */
export const Semantic = z
  .union([z.string(), z.null()])
  .default(null)
  .transform((letter): CrmOutcome => (letter === 'S' ? 'won' : letter === 'F' ? 'lost' : 'open'));

/** The CRM is written in PHP, where a map without entries is a list without entries. */
export const mapOf = <V extends z.ZodType>(value: V) =>
  z.preprocess(
    given => (Array.isArray(given) && given.length === 0 ? {} : given),
    z.record(z.string(), value),
  );
