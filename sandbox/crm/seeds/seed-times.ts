/** Times in the seeds: from fixed days, in the offset of the portal's server (which is not Dubai's). */
import type { Random } from '../../kit/random.ts';

const serverOffsetHours = 3;

/** `2025-09-02T18:37:18+03:00` */
export function portalTime(milliseconds: number): string {
  return `${new Date(milliseconds + serverOffsetHours * 3_600_000).toISOString().slice(0, 19)}+03:00`;
}

const firstDay = Date.UTC(2024, 0, 1);
const lastDay = Date.UTC(2026, 5, 1);

/** As many moments between the first and the last day of the seeds, in their order. */
export function momentsInOrder(random: Random, count: number): number[] {
  const moments = Array.from({ length: count }, () => random.whole(firstDay / 1000, lastDay / 1000) * 1000);
  return moments.sort((a, b) => a - b);
}

export const hours = (count: number): number => count * 3_600_000;
