/**
 * Parses the rows of vendor answers one by one: a row in an unexpected form does not stop the others, and is reported with
 * the paths of its fields, never with its values, which may be personal data.
 */
import { z } from 'zod';
import { type BadRow, reportBadRow } from './call-context.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

/** What the rows of a list are, for reports. */
export interface RowKind {
  system: SystemName;
  /** One of them, such as `user`. */
  record: string;
  /** The member with the id, or a function that finds it. */
  id: string | ((raw: Readonly<Record<string, unknown>>) => unknown);
}

/** A row of an answer. `id` is the vendor's, also of a bad row. */
export type ReadRow<T> = { id: string; row: T } | { id: string; bad: BadRow };

/** The schema of a list whose rows are parsed one by one. */
export const rowsIn = <R extends z.ZodType>(kind: RowKind, row: R) =>
  z
    .array(z.unknown())
    .transform((given): ReadRow<z.output<R>>[] => given.map((raw, index) => readRow(kind, row, raw, index)));

export function readRow<R extends z.ZodType>(
  kind: RowKind,
  schema: R,
  raw: unknown,
  index: number,
): ReadRow<z.output<R>> {
  const id = idOf(kind, raw) ?? `no. ${index + 1}`;
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { id, row: parsed.data };
  return { id, bad: { system: kind.system.name, record: kind.record, id, ...faultOf(parsed.error) } };
}

/** Reports the bad rows to the running work, once each, and returns the others. */
export function goodRows<T>(rows: readonly ReadRow<T>[]): T[] {
  return rows.flatMap(read => {
    if ('row' in read) return [read.row];
    reportBadRow(read.bad);
    return [];
  });
}

/** For lists in which a missing row would be taken for a record that does not exist. @throws UpstreamError for a bad row */
export function everyRow<T>(system: SystemName, rows: readonly ReadRow<T>[]): T[] {
  return rows.map(read => {
    if ('row' in read) return read.row;
    throw unexpectedForm(system, badRowText(read.bad));
  });
}

/** Such as `crm user 17`. */
export const badRowKey = ({ system, record, id }: Pick<BadRow, 'system' | 'record' | 'id'>): string =>
  `${system} ${record} ${id}`;

/** Such as `crm user 17: departmentIds.0: expected number, received string`. */
export const badRowText = (bad: BadRow): string => `${badRowKey(bad)}: ${reasonText(bad)}`;

export const reasonText = ({ field, reason }: Pick<BadRow, 'field' | 'reason'>): string =>
  field === '' ? reason : `${field}: ${reason}`;

/** The first fault; the vendor's values are in none of zod's messages. */
export function faultOf({ issues: [first] }: z.ZodError): Pick<BadRow, 'field' | 'reason'> {
  const reason = first?.message.replace(/^Invalid (input|option): /, '') ?? 'unexpected form';
  return { field: first?.path.join('.') ?? '', reason };
}

const unexpectedForm = ({ name, title }: SystemName, where: string): UpstreamError =>
  new UpstreamError('upstream-failed', `${title} returned an answer in an unexpected form: ${where}.`, {
    kind: 'rejected',
    system: name,
    message: where,
  });

function idOf({ id }: RowKind, raw: unknown): string | undefined {
  const row = z.record(z.string(), z.unknown()).safeParse(raw).data;
  const found = row && (typeof id === 'string' ? row[id] : id(row));
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}
