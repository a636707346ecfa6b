/** The changes of a held plan, so that a person can judge it: on the job page, on confirmations, and as CSV. */
import type { PlannedChanges } from '../../core/jobs/record.ts';

const max = { sample: 10, shown: 500, named: 3 };

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
const titleOf = ({ outcome, items }: PlannedChanges): string => `${verbs[outcome]} ${number.format(items.length)}`;

export const changesView = (changes: readonly PlannedChanges[]) =>
  changes.map(group => ({
    title: titleOf(group),
    reason: group.reason,
    isDeletion: group.outcome === 'deleted',
    total: number.format(group.items.length),
    sample: group.items.slice(0, max.sample),
    rest: group.items.slice(max.sample, max.shown),
    more: Math.max(0, group.items.length - max.shown),
  }));

/** One fact for each group, with the first names. */
export const changesFacts = (changes: readonly PlannedChanges[]): { label: string; value: string }[] =>
  changes.map(group => {
    const names = group.items.slice(0, max.named).map(({ key, name }) => name || key);
    const others = group.items.length - names.length;
    const more = others > 0 ? ` and ${number.format(others)} more` : '';
    return { label: titleOf(group), value: `${group.reason} ${names.join('; ')}${more}` };
  });

/** RFC 4180, with a byte order mark, without which Excel does not read UTF-8. */
export function changesCsv(changes: readonly PlannedChanges[]): string {
  const rows = changes.flatMap(({ outcome, reason, items }) =>
    items.map(({ key, name, detail = '' }) => [outcome, reason, key, name, detail]),
  );
  const lines = [['outcome', 'reason', 'key', 'name', 'detail'], ...rows].map(row => row.map(csvCell).join(','));
  return `\ufeff${lines.join('\r\n')}\r\n`;
}

/** Spreadsheets execute a cell that starts with one of these characters as a formula. */
const csvCell = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
