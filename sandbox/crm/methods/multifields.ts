/** Multifields (phones and e-mails of a record): entries with ids, added, changed and removed individually. */
import type { Row, RowValue } from '../fields.ts';
import { isMap } from '../parameters.ts';

/** @param given the caller's entries: one without an id is added, one with an empty value is removed */
export function mergeMultifield(
  typeId: string,
  current: RowValue | undefined,
  given: readonly unknown[],
  nextId: () => number,
): Record<string, unknown>[] {
  const entries = new Map(
    (Array.isArray(current) ? current : []).filter(isMap).map(entry => [String(entry.ID), entry] as const),
  );
  for (const entry of given) {
    if (!isMap(entry)) continue;
    const id = entry.ID === undefined ? String(nextId()) : String(entry.ID);
    if (entry.DELETE === 'Y' || entry.VALUE === '' || entry.VALUE === undefined) entries.delete(id);
    else
      entries.set(id, {
        ID: id,
        VALUE_TYPE: String(entry.VALUE_TYPE ?? 'WORK'),
        VALUE: String(entry.VALUE),
        TYPE_ID: typeId,
      });
  }
  return [...entries.values()];
}

export function multifieldValues(row: Row, name: string): string[] {
  const entries = row[name];
  return Array.isArray(entries) ? entries.filter(isMap).map(entry => String(entry.VALUE)) : [];
}
