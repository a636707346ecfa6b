/** Text for the operator pages: times in Dubai, durations, and sync reports without personal data. */
import type { z } from 'zod';
import { beforeAndAfter, plannedEffect } from '../../core/jobs/planned-effect.ts';
import type { PlannedChanges } from '../../core/jobs/record.ts';
import { SyncReport, type SyncRow } from '../../core/sync/report.ts';

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

/** With seconds. */
export const exactTime = (at: Date): string => exactClock.format(at);

/** Replaces the times in UTC of a text that the API returns, too. */
export const inDubai = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, iso => exactTime(new Date(iso)));

/** The time in UTC and in Dubai, and how far away it is. */
export const timeView = (at: Date, now = new Date()) => ({
  iso: at.toISOString(),
  clock: clock.format(at),
  away: awayText(at.getTime() - now.getTime()),
});

/** A duration in its two largest units: `2 h 5 min`, `40 s`. */
export function durationText(ms: number): string {
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

/** `in 12 min`, `3 h ago`, `just now`. */
function awayText(ms: number): string {
  if (Math.abs(ms) < 5_000) return 'just now';
  return ms > 0 ? `in ${durationText(ms)}` : `${durationText(ms)} ago`;
}

/** `1 job`, `2 jobs`. */
export const pluralize = (count: number, thing: string): string =>
  `${number.format(count)} ${thing}${count === 1 ? '' : 's'}`;

const maxRows = 100;
/** PostgreSQL does not preserve the order of JSON members. */
const firstFigures = ['read', 'matched', 'created', 'updated', 'deleted', 'skipped', 'failed', 'calls', 'seconds'];
const positionOf = (label: string): number =>
  firstFigures.includes(label) ? firstFigures.indexOf(label) : firstFigures.length;
const number = new Intl.NumberFormat('en');

const Counts = SyncReport.pick({ created: true, updated: true, deleted: true, read: true }).partial();
const Held = SyncReport.pick({ heldBecause: true, wouldDo: true, places: true }).partial();
const Rows = SyncReport.pick({ rows: true, rowsLeftOut: true });

/**
 * @param report result of a job of any kind
 * @param changes shown elsewhere: their rows are left out
 */
export function reportView(report: unknown, changes: readonly (PlannedChanges & { total?: number })[] = []) {
  const counts = Counts.safeParse(report);
  const { heldBecause = [], places, wouldDo = places && plannedEffect(places) } = Held.safeParse(report).data ?? {};
  const all = Rows.safeParse(report).data ?? { rows: [], rowsLeftOut: 0 };
  const named = new Set(changes.flatMap(({ outcome, items }) => items.map(({ key }) => `${outcome} ${key}`)));
  const cut = new Set(changes.filter(({ items, total = 0 }) => total > items.length).map(({ outcome }) => outcome));
  const isShown = ({ outcome, key }: SyncRow) => !cut.has(outcome) && !named.has(`${outcome} ${key}`);
  const rows = all.rows.filter(isShown).map(row => ({ ...row, reason: inDubai(row.reason) }));
  return {
    /** Such as `create 12, update 3, delete 480`; undefined for a result without such counts. */
    changes: wouldDo ?? (counts.data && changesText(counts.data)),
    /** Rows disappear. */
    isDeleting: (places ?? (counts.data ? [counts.data] : [])).some(({ deleted = 0 }) => deleted > 0),
    bars: beforeAndAfter(places ?? []),
    /** Why the job was held, as sentences. */
    reasons: heldBecause,
    figures: figuresOf(report).sort((one, other) => positionOf(one.label) - positionOf(other.label)),
    rows: rows.slice(0, maxRows),
    /** Number of rows that are not shown. */
    more: Math.max(0, rows.length - maxRows) + (changes.length === 0 ? all.rowsLeftOut : 0),
  };
}

function changesText({ created, updated, deleted, read }: z.infer<typeof Counts>): string | undefined {
  if (created === undefined || updated === undefined || deleted === undefined) return undefined;
  const changes = [
    created > 0 && `create ${number.format(created)}`,
    updated > 0 && `update ${number.format(updated)}`,
    deleted > 0 && `delete ${number.format(deleted)}`,
  ].filter(part => part !== false);
  const text = changes.length > 0 ? changes.join(', ') : 'create, update and delete nothing';
  return read === undefined ? text : `${text} (of ${number.format(read)} rows read)`;
}

/** Numbers and booleans of a result, two levels deep. Texts are omitted: they may contain personal data. */
function figuresOf(result: unknown, prefix = ''): { label: string; value: string }[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  return Object.entries(result).flatMap(([name, value]: [string, unknown]) => {
    const label = prefix + inWords(name);
    if (typeof value === 'number') return [{ label, value: number.format(value) }];
    if (typeof value === 'boolean') return [{ label, value: value ? 'yes' : 'no' }];
    return prefix === '' ? figuresOf(value, `${label}: `) : [];
  });
}

/** `rowsLeftOut` → `rows left out`. */
export const inWords = (name: string): string => name.replace(/([A-Z])/g, ' $1').toLowerCase();
