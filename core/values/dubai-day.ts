/** Days as people in Dubai count them: four hours ahead of UTC, all year. */

const offsetMs = 4 * 3_600_000;
const dayMs = 24 * 3_600_000;

/** YYYY-MM-DD */
export const dubaiDayOf = (moment: Date): string =>
  new Date(moment.getTime() + offsetMs).toISOString().slice(0, 10);

/** HH:MM */
export const dubaiTimeOf = (moment: Date): string =>
  new Date(moment.getTime() + offsetMs).toISOString().slice(11, 16);

/** From its first moment on, until before the next day's. @param day YYYY-MM-DD */
export function dubaiDay(day: string): { from: Date; to: Date } {
  const from = Date.parse(`${day}T00:00:00Z`) - offsetMs;
  return { from: new Date(from), to: new Date(from + dayMs) };
}

/** @param days negative: before it */
export const dayPlus = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** How many days lie from one to the other, both counted; less than 1 when they are the wrong way round. */
export const daysFromTo = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
