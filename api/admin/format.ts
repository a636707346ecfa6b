import type { z } from 'zod';
import { SyncReport } from '../../core/sync/report.ts';

/** Times as the pages of operations tell them: on the clocks of Dubai, and how long that is from now. */

/** What a page needs to tell a time. */
export interface TimeView {
  /** For programs, in UTC. */
  iso: string;
  clock: string;
  /** `in 12 min`, `3 h ago`, `just now`. */
  away: string;
}

const toTheMinute = {
  timeZone: 'Asia/Dubai',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;
const clock = new Intl.DateTimeFormat('en-GB', toTheMinute);
const exactClock = new Intl.DateTimeFormat('en-GB', { ...toTheMinute, second: '2-digit' });

/** With the second, for what happens fast. */
export const exactTime = (at: Date): string => exactClock.format(at);

export function timeView(at: Date, now = new Date()): TimeView {
  return { iso: at.toISOString(), clock: clock.format(at), away: awayWords(at.getTime() - now.getTime()) };
}

/** A length of time in its two largest units: `2 h 5 min`, `40 s`. */
export function lengthWords(ms: number): string {
  if (Math.abs(ms) < 1_000) return 'less than 1 s';
  const seconds = Math.round(Math.abs(ms) / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

function awayWords(ms: number): string {
  if (Math.abs(ms) < 5_000) return 'just now';
  return ms > 0 ? `in ${lengthWords(ms)}` : `${lengthWords(ms)} ago`;
}

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
