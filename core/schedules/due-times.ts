/** When a schedule is due, by its cron expression on the clocks of its time zone. */
import { CronExpressionParser } from 'cron-parser';

export interface DueTimes {
  /** The first one after this time. */
  next(after: Date): Date;
  /** The newest ones after `after`, up to and with `until`; the oldest of them first, `limit` of them at most. */
  between(after: Date, until: Date, limit: number): Date[];
}

/** @throws Error when the expression cannot be read */
export function dueTimes({ cron, timeZone }: { cron: string; timeZone: string }): DueTimes {
  const from = (currentDate: Date) => CronExpressionParser.parse(cron, { currentDate, tz: timeZone });
  return {
    next: after => from(after).next().toDate(),
    between(after, until, limit) {
      // Always forwards: backwards the library leaves out what a change of the clocks has moved.
      const times: Date[] = [];
      const forwards = from(after);
      for (let time = forwards.next().toDate(); time <= until; time = forwards.next().toDate()) {
        if (times.push(time) > limit) times.shift();
      }
      return times;
    },
  };
}
