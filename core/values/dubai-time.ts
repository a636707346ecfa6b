/** Days and hours in Dubai: UTC+4, without daylight saving time. */

const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
const offsetMs = 4 * 3_600_000;
const minutesPerDay = 24 * 60;

/** Hours in which marketing may be sent, in minutes since midnight; `to` is excluded. */
export type SendingHours = Record<'from' | 'to', number>;

/** YYYY-MM-DD */
export const dubaiDayOf = (time: Date): string => inDubai(time).slice(0, 10);

/** HH:MM */
export const dubaiTimeOf = (time: Date): string => inDubai(time).slice(11, 16);

/** The first moment of a day and of the next one. @param day YYYY-MM-DD */
export function dubaiDay(day: string): { from: Date; to: Date } {
  const from = Date.parse(`${day}T00:00:00Z`) - offsetMs;
  return { from: new Date(from), to: new Date(from + dayMs) };
}

/** @param day YYYY-MM-DD @param days may be negative */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** The number of days, both included; less than 1 when `to` is before `from`. */
export const countDays = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;

/** Parses `09:00-18:00`; undefined when the text is no such range. `24:00` is the end of the day. */
export function parseSendingHours(text: string): SendingHours | undefined {
  const match = /^(\d{2}):(\d{2})-(\d{2}):(\d{2})$/.exec(text);
  if (!match) return undefined;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = match.slice(1).map(Number);
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
  const isValid = fromMinute < 60 && toMinute < 60 && hours.from < hours.to && hours.to <= minutesPerDay;
  return isValid ? hours : undefined;
}

export function isWithinHours({ from, to }: SendingHours, at: Date): boolean {
  const minute = minuteOfDay(at);
  return from <= minute && minute < to;
}

/** Whole seconds until the hours begin next. */
export function secondsUntilHours({ from }: SendingHours, at: Date): number {
  const wait = (from - minuteOfDay(at) + minutesPerDay) % minutesPerDay;
  return (wait === 0 ? minutesPerDay : wait) * 60 - Math.floor((at.getTime() % minuteMs) / 1_000);
}

/** Whole seconds. */
export const secondsUntilDubaiMidnight = (at: Date): number => secondsUntilHours({ from: 0, to: minutesPerDay }, at);

export const startOfDubaiDay = (at: Date): Date => dubaiDay(dubaiDayOf(at)).from;

const inDubai = (time: Date): string => new Date(time.getTime() + offsetMs).toISOString();

const minuteOfDay = (at: Date): number => Math.floor((at.getTime() + offsetMs) / minuteMs) % minutesPerDay;
