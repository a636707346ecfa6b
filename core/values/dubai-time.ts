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

export interface SendingHours {
  /** Minutes since midnight; `from` included, `to` not. */
  from: number;
  to: number;
}

const zoneOffsetMinutes = 4 * 60;
const minutesOfDay = 24 * 60;

/** `09:00-18:00`; undefined when it is no such range. `24:00` is the end of the day. */
export function parseSendingHours(text: string): SendingHours | undefined {
  const match = /^(\d{2}):(\d{2})-(\d{2}):(\d{2})$/.exec(text);
  if (!match) return undefined;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = match.slice(1).map(Number);
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
  const sound = fromMinute < 60 && toMinute < 60 && hours.from < hours.to && hours.to <= minutesOfDay;
  return sound ? hours : undefined;
}

const dubaiMinutes = (at: Date): number => Math.floor(at.getTime() / 60_000) + zoneOffsetMinutes;

export function isWithin({ from, to }: SendingHours, at: Date): boolean {
  const minute = dubaiMinutes(at) % minutesOfDay;
  return from <= minute && minute < to;
}

/** Until the next beginning of the hours, in whole seconds. */
export function secondsUntilHours({ from }: SendingHours, at: Date): number {
  const minute = dubaiMinutes(at) % minutesOfDay;
  const wait = (from - minute + minutesOfDay) % minutesOfDay;
  return (wait === 0 ? minutesOfDay : wait) * 60 - Math.floor((at.getTime() % 60_000) / 1_000);
}

/** Until the next midnight in Dubai, in whole seconds. */
export function secondsUntilMidnight(at: Date): number {
  return secondsUntilHours({ from: 0, to: minutesOfDay }, at);
}

/** When the day began in Dubai. */
export function startOfDay(at: Date): Date {
  const minutes = dubaiMinutes(at);
  return new Date((minutes - (minutes % minutesOfDay) - zoneOffsetMinutes) * 60_000);
}
