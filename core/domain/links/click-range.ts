/** Time range of click analytics: days in a time zone. */
import { z } from 'zod';
import { invalidInput } from '../../runtime/errors.ts';
import { addDays } from '../../values/dubai-time.ts';

/** Two years. */
const maxDays = 731;

export type ClickRange = ReturnType<typeof clickRange>;

/** An IANA name. Offsets are rejected, because they ignore daylight saving time. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone, such as Asia/Dubai')
  .default('Asia/Dubai');

/** A whole day of the time zone, or a point in time. */
export const DayOrTime = z.union(
  [z.iso.date(), z.iso.datetime({ offset: true })],
  'must be a day, such as 2026-01-31, or a time, such as 2026-01-31T08:00:00Z',
);

/**
 * @param asked a day in `from` or `to` is included whole; a time in `to` is exclusive. Defaults: `from` is `since`, at
 * most two years back; `to` is today
 * @returns `to` is exclusive; `days` as 2026-01-31, of which the first and the last may be partial; `starts`: their starts
 * @throws ServiceError invalid-input when the range is empty or longer than two years
 */
export function clickRange(
  asked: { from?: string | undefined; to?: string | undefined; timeZone: string },
  since: Date,
  now = new Date(),
) {
  const { timeZone } = asked;
  const to = asked.to === undefined ? endOf(dayOf(now, timeZone), timeZone) : endOf(asked.to, timeZone);
  const lastDay = dayOf(new Date(to.getTime() - 1), timeZone);
  const earliest = nextDay(lastDay, 1 - maxDays);
  const from = startOf(asked.from ?? latest(dayOf(since, timeZone), earliest), timeZone);
  const firstDay = dayOf(from, timeZone);
  if (from >= to) throw invalidInput([{ pointer: '/to', detail: 'must be after from', in: 'query' }]);
  if (firstDay < earliest)
    throw invalidInput([{ pointer: '/from', detail: `must be within ${maxDays} days before to`, in: 'query' }]);

  const days: string[] = [];
  for (let day = firstDay; day <= lastDay; day = nextDay(day)) days.push(day);
  const starts = days.map((day, index) => (index === 0 ? from : startOf(day, timeZone)));
  return { from, to, timeZone, days, starts };
}

const latest = (one: string, other: string): string => (one > other ? one : other);
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);
const startOf = (text: string, timeZone: string): Date => (isDay(text) ? midnight(text, timeZone) : new Date(text));
const endOf = (text: string, timeZone: string): Date =>
  isDay(text) ? midnight(nextDay(text), timeZone) : new Date(text);

const nextDay = (day: string, count = 1): string => addDays(day, count);

const dayOf = (at: Date, timeZone: string): string => wallClock(at, timeZone).slice(0, 10);

/** Start of a day in the time zone; where clocks skip midnight, the first moment that exists. */
function midnight(day: string, timeZone: string): Date {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  let at = wanted;
  // The offset at the first guess may differ from the offset at the result.
  for (let round = 0; round < 2; round++) {
    at = wanted - (Date.parse(`${wallClock(new Date(at), timeZone)}Z`) - at);
  }
  return new Date(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** As 2026-01-31T08:00:00. */
function wallClock(at: Date, timeZone: string): string {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
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
