/** What a synchronisation did, or a held one would do, in words and figures; nothing of it names a person. */
import type { z } from 'zod';
import { SyncReport } from '../../core/sync/report.ts';

/** A report as a page tells it. */
export interface ReportWords {
  /** Such as `create 12, update 3, delete 480`; undefined where the job tells no such counts. */
  changes: string | undefined;
  /** Why it was held, a sentence each. */
  reasons: string[];
  figures: { label: string; value: string }[];
  rows: SyncReport['rows'];
  /** Rows that the page leaves out. */
  more: number;
}

const maxRows = 100;
/** PostgreSQL keeps the fields of a report in no order of ours. */
const firstFigures = [
  'read',
  'matched',
  'created',
  'updated',
  'deleted',
  'skipped',
  'failed',
  'calls',
  'seconds',
];
const placeOf = (label: string): number =>
  firstFigures.includes(label) ? firstFigures.indexOf(label) : firstFigures.length;
const number = new Intl.NumberFormat('en');

const Counts = SyncReport.pick({ created: true, updated: true, deleted: true, read: true }).partial();
const Reasons = SyncReport.pick({ heldBecause: true });
const Rows = SyncReport.pick({ rows: true, rowsLeftOut: true });

/** @param report the job's result, of whatever kind it is */
export function reportWords(report: unknown): ReportWords {
  const counts = Counts.safeParse(report);
  const { rows, rowsLeftOut } = Rows.safeParse(report).data ?? { rows: [], rowsLeftOut: 0 };
  return {
    changes: counts.data && changeWords(counts.data),
    reasons: Reasons.safeParse(report).data?.heldBecause ?? [],
    figures: figuresOf(report).sort((one, other) => placeOf(one.label) - placeOf(other.label)),
    rows: rows.slice(0, maxRows),
    more: Math.max(0, rows.length - maxRows) + rowsLeftOut,
  };
}

function changeWords({ created, updated, deleted, read }: z.infer<typeof Counts>): string | undefined {
  if (created === undefined || updated === undefined || deleted === undefined) return undefined;
  const changes = [
    created > 0 && `create ${number.format(created)}`,
    updated > 0 && `update ${number.format(updated)}`,
    deleted > 0 && `delete ${number.format(deleted)}`,
  ].filter(part => part !== false);
  const words = changes.length > 0 ? changes.join(', ') : 'change nothing that it counts';
  return read === undefined ? words : `${words} (of ${number.format(read)} rows read)`;
}

/** Numbers and yes-or-no of a result, two levels deep: its texts may be about persons and are left out. */
function figuresOf(result: unknown, prefix = ''): ReportWords['figures'] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  return Object.entries(result).flatMap(([name, value]: [string, unknown]) => {
    const label = prefix + inWords(name);
    if (typeof value === 'number') return [{ label, value: number.format(value) }];
    if (typeof value === 'boolean') return [{ label, value: value ? 'yes' : 'no' }];
    return prefix === '' ? figuresOf(value, `${label}: `) : [];
  });
}

/** `rowsLeftOut` → `rows left out`. */
const inWords = (name: string): string => name.replace(/([A-Z])/g, ' $1').toLowerCase();
