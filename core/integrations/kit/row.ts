/** Reads the rows of vendor systems by schemas with our names, which also describe the answers of the API. */
import { z } from 'zod';

type Row = Readonly<Record<string, unknown>>;

/** @param convert gives the row our names; the schema checks the values */
export const rowOf = <S extends z.ZodType>(schema: S, convert: (row: Row) => Row) =>
  z
    .record(z.string(), z.unknown())
    .transform((row): unknown => convert(row))
    .pipe(schema);

/** The members of a row by our names. @param names ours → the vendor's */
export const picked = (row: Row, names: Readonly<Record<string, string>>): Row =>
  Object.fromEntries(Object.entries(names).map(([ours, name]) => [ours, row[name]]));

/** A text without spaces around it; null for a missing or an empty one. */
export const textOrNull = z.preprocess(
  text => (typeof text === 'string' ? text.trim() || null : (text ?? null)),
  z.string().nullable(),
);
