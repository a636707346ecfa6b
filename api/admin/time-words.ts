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
