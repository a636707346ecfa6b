/** The hours of the day in which marketing may be sent, in the Emirates' one time zone (+04:00, no summer time). */

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
