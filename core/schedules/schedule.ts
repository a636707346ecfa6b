/** The schedules that the job contracts declare, checked and gathered under their names. */
import cron from 'node-cron';
import type { JobContract, ScheduleContract } from '../jobs/contract.ts';
import { dueTimes } from './due-times.ts';
import type { KnownSchedule } from './runs.ts';

/** Where the company works; it keeps no summer time. */
const defaultTimeZone = 'Asia/Dubai';

export interface Schedule extends ScheduleContract {
  timeZone: string;
  /** Of the jobs that it makes. */
  job: JobContract;
}

/** As the ledger knows it: a schedule that fires at other times than before is noticed by its timing. */
export const knownOf = ({ name, cron: expression, timeZone }: Schedule): KnownSchedule => ({
  name,
  timing: `${expression} ${timeZone}`,
});

/** Under this name schedulers give their signs of life, beside the kinds of the workers. */
export const schedulerSign = 'scheduler';

/** @throws Error naming the contract that declares what cannot be followed */
export function schedulesOf(contracts: ReadonlyMap<string, JobContract>): ReadonlyMap<string, Schedule> {
  const schedules = new Map<string, Schedule>();
  for (const job of contracts.values()) {
    for (const declared of job.schedules ?? []) {
      const schedule = { timeZone: defaultTimeZone, ...declared, job };
      const fault = schedules.has(schedule.name) ? 'its name is taken' : faultOf(schedule);
      if (fault !== undefined)
        throw new Error(
          `The schedule ${schedule.name} of the kind ${job.kind} cannot be followed: ${fault}.`,
        );
      schedules.set(schedule.name, schedule);
    }
  }
  return schedules;
}

function faultOf(schedule: Schedule): string | undefined {
  if (!/^[a-z][a-z0-9-]*$/.test(schedule.name))
    return 'its name must be of small letters, digits and hyphens';
  return faultOfExpression(schedule.cron) ?? faultOfZone(schedule.timeZone) ?? faultOfPayload(schedule);
}

/** Only what node-cron, which wakes us, and cron-parser, which tells the due times, read alike. */
function faultOfExpression(expression: string): string | undefined {
  const fields = expression.split(' ');
  if (![5, 6].includes(fields.length) || !fields.every(field => /^[\d*,/-]+$/.test(field)))
    return 'its cron expression must have 5 or 6 fields of digits and * , / -';
  const [day, , weekday] = fields.slice(-3);
  if (day !== '*' && weekday !== '*')
    return 'its cron expression names days of the month and of the week, which is read in two ways';
  if (!cron.validate(expression)) return 'its cron expression is refused by node-cron';
  try {
    dueTimes({ cron: expression, timeZone: 'UTC' }).next(new Date());
    return undefined;
  } catch (error) {
    return `its cron expression is refused (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** node-cron takes an unknown zone without a word. */
function faultOfZone(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return undefined;
  } catch {
    return `there is no time zone ${timeZone}`;
  }
}

function faultOfPayload({ job, payload }: Schedule): string | undefined {
  const { error } = job.payload.safeParse(payload);
  return (
    error && `its payload is not what the job takes (${error.issues.map(issue => issue.message).join('; ')})`
  );
}
