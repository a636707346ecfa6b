/** Durations, times and counts as text, for alerts and the digest. */
import { dubaiDayOf, dubaiTimeOf } from '../values/dubai-time.ts';

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
];

/** `1 hour 5 minutes`: at most two units. */
export function durationText(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.round(seconds));
  for (const unit of units) {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    if (count > 0) parts.push(pluralize(count, unit.name));
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 seconds';
}

/** `1 job`, `2 jobs`. */
export const pluralize = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

/** `2026-01-31 08:00`, Dubai time. */
export const momentText = (moment: Date): string => `${dubaiDayOf(moment)} ${dubaiTimeOf(moment)}`;
