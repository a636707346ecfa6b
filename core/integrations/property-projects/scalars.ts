/** Members of rows: the system may send numbers as texts, and leave out or empty what it does not have. */
import { z } from 'zod';
import { textOrNull } from '../kit/row.ts';

export const id = z.preprocess(value => (typeof value === 'number' ? String(value) : value), z.string());
export const optionalId = z.preprocess(value => value ?? null, id.nullable());
export const number = z.preprocess(value => (value == null ? null : Number(value)), z.number().nullable());
export const ids = z.preprocess(value => value ?? [], z.array(id));
export const money = z
  .preprocess(
    value =>
      typeof value === 'number' || (typeof value === 'string' && value) ? Number(value).toFixed(2) : value || null,
    z.string().nullable(),
  )
  .describe('Decimal.');

/** UTC with milliseconds, as all times of the API; text that is no time stays as it is. */
export const time = textOrNull.overwrite(value => {
  const at = Date.parse(value?.includes('T') ? value : '');
  return Number.isNaN(at) ? value : new Date(at).toISOString();
});
