/** The changes of a held plan, so that a person can judge it: on the job page, on confirmations, and as CSV. */
import type { HeldPlan, PlannedChanges, PlannedRow } from '../../core/jobs/record.ts';

const max = { sample: 10, named: 5 };

type Group = HeldPlan['changes'][number];

const verbs: Record<PlannedChanges['outcome'], string> = {
  deleted: 'Delete',
  created: 'Create',
  updated: 'Change',
  failed: 'Not possible:',
  conflict: 'In conflict:',
  ambiguous: 'Ambiguous:',
  skipped: 'Unchanged:',
};

const number = new Intl.NumberFormat('en');
const titleOf = ({ outcome, total }: Group): string => `${verbs[outcome]} ${number.format(total)}`;

export const changesView = (changes: readonly Group[]) =>
  changes.map(group => ({
    title: titleOf(group),
    reason: group.reason,
    isDeletion: group.outcome === 'deleted',
    total: number.format(group.total),
    sample: group.items.slice(0, max.sample),
    rest: group.items.slice(max.sample),
    more: group.total - group.items.length,
  }));

/** The first names of each group. */
export const changesSamples = (changes: readonly Group[]) =>
  changes.map(group => ({
    title: titleOf(group),
    reason: group.reason,
    isDeletion: group.outcome === 'deleted',
    names: group.items.slice(0, max.named).map(({ key, name }) => name || key),
    more: group.total > max.named && number.format(group.total - max.named),
  }));

/** RFC 4180, with a byte order mark, without which Excel does not read UTF-8. */
export async function* changesCsv(pages: AsyncIterable<PlannedRow[]>): AsyncGenerator<string> {
  yield `\ufeff${csvLine(['outcome', 'reason', 'key', 'name', 'detail'])}`;
  for await (const rows of pages)
    yield rows.map(({ outcome, reason, key, name, detail }) => csvLine([outcome, reason, key, name, detail])).join('');
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Spreadsheets execute a cell that starts with one of these characters as a formula. */
const csvCell = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
