/** Paging of all list methods: filters, sorts and returns 50 rows a page. */
import type { Row, RowValue } from './fields.ts';
import type { Condition } from './filter.ts';
import { mapParameter, type Parameters, parameter } from './parameters.ts';

const pageSize = 50;

export interface Page {
  rows: Row[];
  total: number;
  /** Start of the next page; undefined on the last page and without counting (`start=-1`). */
  next: number | undefined;
}

/** @param findField returns the legacy name of a field to sort by, undefined to ignore it */
export function pageOf(
  all: readonly Row[],
  matches: Condition,
  parameters: Parameters,
  findField: (name: string) => string | undefined,
): Page {
  const start = Number(parameter(parameters, 'start') ?? 0) || 0;
  const sorted = sortRows(all, orderOf(parameters, findField));
  if (start === -1) return { rows: firstMatching(sorted, matches), total: 0, next: undefined };
  const matching = sorted.filter(matches);
  // The vendor rounds `start` down to a whole page.
  const from = Math.max(0, Math.floor(start / pageSize) * pageSize);
  const next = from + pageSize;
  return { rows: matching.slice(from, next), total: matching.length, next: next < matching.length ? next : undefined };
}

function firstMatching(rows: readonly Row[], matches: Condition): Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    if (!matches(row)) continue;
    found.push(row);
    if (found.length === pageSize) break;
  }
  return found;
}

type Order = readonly { name: string; direction: 1 | -1 }[];

function orderOf(parameters: Parameters, findField: (name: string) => string | undefined): Order {
  return Object.entries(mapParameter(parameters, 'order') ?? {}).flatMap(([given, direction]) => {
    const name = findField(given);
    return name ? [{ name, direction: String(direction).toUpperCase() === 'DESC' ? -1 : 1 } as const] : [];
  });
}

/** Rows are stored in the order of their ids, so sorting by ID returns them unchanged. */
function sortRows(all: readonly Row[], order: Order): readonly Row[] {
  const [first] = order;
  if (!first || (first.name === 'ID' && first.direction === 1)) return all;
  return all.toSorted((a, b) => {
    for (const { name, direction } of order) {
      const difference = compare(a[name], b[name]);
      if (difference !== 0) return difference * direction;
    }
    return a.ID - b.ID;
  });
}

function compare(a: RowValue | undefined, b: RowValue | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a ?? ''), String(b ?? '')];
  return left < right ? -1 : left > right ? 1 : 0;
}
