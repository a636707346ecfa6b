/** Schedules as the job contracts declare them, their check, and their due times. */
import { CronExpressionParser } from 'cron-parser';
import cron from 'node-cron';
import type { JobContract, ScheduleContract } from '../jobs/contract.ts';
import type { RegisteredSchedule } from './runs.ts';

/** The company's time zone; it has no daylight saving time. */
const defaultTimeZone = 'Asia/Dubai';

export interface Schedule extends ScheduleContract {
  timeZone: string;
  /** Contract of the jobs that it starts. */
  job: JobContract;
}

/** A changed `timing` registers the schedule again, so earlier due times do not count as missed. */
export const registrationOf = ({ name, cron: expression, timeZone }: Schedule): RegisteredSchedule => ({
  name,
  timing: `${expression} ${timeZone}`,
});

/** Schedulers write their heartbeats under this name, workers under their job kinds. */
export const schedulerHeartbeat = 'scheduler';

/** Owner of scheduled jobs; no client may have this id. */
export const schedulerClientId = 'scheduler';

/** @throws Error when two schedules have the same name */
export function schedulesOf(contracts: ReadonlyMap<string, JobContract>): ReadonlyMap<string, Schedule> {
  const schedules = new Map<string, Schedule>();
  for (const job of contracts.values()) {
    for (const declared of job.schedules ?? []) {
      const schedule = { timeZone: defaultTimeZone, ...declared, job };
      if (schedules.has(schedule.name)) throw invalid(schedule, 'another schedule has this name');
      schedules.set(schedule.name, schedule);
    }
  }
  return schedules;
}

/**
 * For the scheduler: in every process it would take a tenth of the API's start.
 * @throws Error naming the schedule, its job kind and what is invalid
 */
export function requireValidSchedules(schedules: Iterable<Schedule>): void {
  for (const schedule of schedules) {
    const fault = faultOf(schedule);
    if (fault !== undefined) throw invalid(schedule, fault);
  }
}

const invalid = ({ name, job }: Schedule, fault: string) =>
  new Error(`The schedule ${name} of the job kind ${job.kind} is invalid: ${fault}.`);

function faultOf(schedule: Schedule): string | undefined {
  if (!/^[a-z][a-z0-9-]*$/.test(schedule.name))
    return 'its name may contain only lower-case letters, digits and hyphens';
  return faultOfExpression(schedule.cron) ?? faultOfZone(schedule.timeZone) ?? faultOfPayload(schedule);
}

/** Accepts only what node-cron (wakes the scheduler) and cron-parser (computes due times) read the same way. */
function faultOfExpression(expression: string): string | undefined {
  const fields = expression.split(' ');
  if (![5, 6].includes(fields.length) || !fields.every(field => /^[\d*,/-]+$/.test(field)))
    return 'its cron expression must have 5 or 6 fields of digits and * , / -';
  const [day, , weekday] = fields.slice(-3);
  if (day !== '*' && weekday !== '*')
    return 'its cron expression restricts both the day of the month and the day of the week, which is ambiguous';
  if (!cron.validate(expression)) return 'node-cron rejects its cron expression';
  try {
    dueTimes({ cron: expression, timeZone: 'UTC' }).next(new Date());
    return undefined;
  } catch (error) {
    return `cron-parser rejects its cron expression (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** node-cron accepts unknown time zones silently. */
function faultOfZone(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return undefined;
  } catch {
    return `unknown time zone ${timeZone}`;
  }
}

function faultOfPayload({ job, payload }: Schedule): string | undefined {
  const { error } = job.payload.safeParse(payload);
  return (
    error && `its payload does not match the job contract (${error.issues.map(issue => issue.message).join('; ')})`
  );
}

/** @throws Error when the cron expression is invalid */
export function dueTimes({ cron, timeZone }: { cron: string; timeZone: string }) {
  const from = (currentDate: Date) => CronExpressionParser.parse(cron, { currentDate, tz: timeZone });
  return {
    next: (after: Date): Date => from(after).next().toDate(),
    /** The newest `limit` due times after `after`, up to and including `until`; oldest first. */
    between(after: Date, until: Date, limit: number): Date[] {
      // Iterates forwards only: backwards, cron-parser skips times moved by a daylight saving change.
      const times: Date[] = [];
      const forwards = from(after);
      for (let time = forwards.next().toDate(); time <= until; time = forwards.next().toDate()) {
        if (times.push(time) > limit) times.shift();
      }
      return times;
    },
  };
}
