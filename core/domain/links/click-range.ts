/** The days that click analytics are asked for, as a person in some time zone counts them. */
import { z } from 'zod';
import { type Fault, ServiceError } from '../../runtime/errors.ts';

/** Two years. */
const mostDays = 731;
const dayMs = 86_400_000;

export interface ClickRange {
  from: Date;
  /** Exclusive. */
  to: Date;
  timeZone: string;
  /** As 2026-01-31; each begins at the same place of `starts`, the first and the last may be cut. */
  days: string[];
  starts: Date[];
}

/** An IANA name, such as Asia/Dubai. Not an offset: a place's clocks change, and its name knows when. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone, such as Asia/Dubai')
  .default('Asia/Dubai');

const timeError = 'must be a day, such as 2026-01-31, or a time, such as 2026-01-31T08:00:00Z';

/** A whole day of the time zone, or a point in time. */
export const DayOrTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })], timeError);

/**
 * @param asked `from` and `to`: a day stands for all of it, `to` too; a time as `to` is exclusive. Without `from`, from
 * `since` on (two years at most); without `to`, up to and with today
 * @throws ServiceError invalid-input when the range is empty or longer than two years
 */
export function clickRange(
  asked: { from?: string | undefined; to?: string | undefined; timeZone: string },
  since: Date,
  now = new Date(),
): ClickRange {
  const { timeZone } = asked;
  const to = asked.to === undefined ? endOf(dayOf(now, timeZone), timeZone) : endOf(asked.to, timeZone);
  const lastDay = dayOf(new Date(to.getTime() - 1), timeZone);
  const earliest = nextDay(lastDay, 1 - mostDays);
  const from = startOf(asked.from ?? latest(dayOf(since, timeZone), earliest), timeZone);
  const firstDay = dayOf(from, timeZone);
  if (from >= to) refuse({ pointer: '/to', detail: 'must be after from', in: 'query' });
  if (firstDay < earliest)
    refuse({ pointer: '/from', detail: `must be within ${mostDays} days before to`, in: 'query' });

  const days: string[] = [];
  for (let day = firstDay; day <= lastDay; day = nextDay(day)) days.push(day);
  const starts = days.map((day, index) => (index === 0 ? from : startOf(day, timeZone)));
  return { from, to, timeZone, days, starts };
}

function refuse(fault: Fault): never {
  throw new ServiceError('invalid-input', 'The input has one fault.', { faults: [fault] });
}

const latest = (one: string, other: string): string => (one > other ? one : other);
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);
const startOf = (text: string, timeZone: string): Date =>
  isDay(text) ? midnight(text, timeZone) : new Date(text);
const endOf = (text: string, timeZone: string): Date =>
  isDay(text) ? midnight(nextDay(text), timeZone) : new Date(text);

function nextDay(day: string, count = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);
}

/** The day that it is somewhere, as 2026-01-31. */
const dayOf = (at: Date, timeZone: string): string => wallClock(at, timeZone).slice(0, 10);

/** When a day begins somewhere; where clocks go forward at midnight, at its first moment. */
function midnight(day: string, timeZone: string): Date {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  let at = wanted;
  // The offset may differ between the guess and the place it leads to.
  for (let round = 0; round < 2; round++) {
    at = wanted - (Date.parse(`${wallClock(new Date(at), timeZone)}Z`) - at);
  }
  return new Date(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** As 2026-01-31T08:00:00. */
function wallClock(at: Date, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format.format(at).replace(' ', 'T');
}

function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
