/** Times of the CRM portal: its server runs at UTC+3, not in Dubai time; seed times lie between fixed days. */
import type { Random } from '../kit/random.ts';

const serverOffsetHours = 3;

/** `2025-09-02T18:37:18+03:00` */
export function portalTime(milliseconds: number): string {
  return `${new Date(milliseconds + serverOffsetHours * 3_600_000).toISOString().slice(0, 19)}+03:00`;
}

const firstDay = Date.UTC(2024, 0, 1);
const lastDay = Date.UTC(2026, 5, 1);

/** Random times between the first and last day of the seed data, in ascending order, in ms since 1970. */
export function ascendingTimes(random: Random, count: number): number[] {
  const times = Array.from({ length: count }, () => random.whole(firstDay / 1000, lastDay / 1000) * 1000);
  return times.sort((a, b) => a - b);
}

export const hours = (count: number): number => count * 3_600_000;
