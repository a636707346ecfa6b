/** Schedules on the overview page: timing in words, next run, last run. */
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { offReasonOf, type ScheduleConfig } from '../../core/schedules/config.ts';
import type { LastRun, ScheduleState } from '../../core/schedules/runs.ts';
import { dueTimes, type Schedule } from '../../core/schedules/schedule.ts';
import { timeView } from './format.ts';

const outcomes: Record<LastRun['outcome'], string> = {
  fired: '',
  'missed-fired': 'caught up later',
  'missed-skipped': 'missed, no scheduler was running',
  'skipped-overlap': 'skipped, the previous job had not ended',
  'skipped-paused': 'skipped, the schedule was paused',
};

export function scheduleRows(
  schedules: ReadonlyMap<string, Schedule>,
  known: { states: ReadonlyMap<string, ScheduleState>; lastRuns: readonly LastRun[] },
  config: ScheduleConfig & ServiceConfig,
): object[] {
  return [...schedules.values()].map(schedule => {
    const { name, summary, job, cron, timeZone } = schedule;
    const state = known.states.get(name);
    const last = known.lastRuns.find(run => run.schedule === name);
    const off = offReasonOf(schedule, config);
    return {
      name,
      summary,
      kind: job.kind,
      cron,
      words: cronWords(cron),
      timeZone,
      next: state?.pausedAt || off ? null : timeView(dueTimes(schedule).next(new Date())),
      paused: state?.pausedAt ? { ...timeView(state.pausedAt), by: state.pausedBy ?? 'unknown' } : null,
      off,
      last: last ? lastRun(last) : null,
    };
  });
}

function lastRun({ dueAt, outcome, manual, by, jobId, jobState }: LastRun): object {
  const made = outcome === 'fired' || outcome === 'missed-fired';
  const state = made ? (jobState ?? 'its job is deleted') : '';
  return {
    ...timeView(dueAt),
    outcome: [state, outcomes[outcome]].filter(part => part !== '').join(', '),
    by: manual ? by : null,
    jobId,
    failed: made && jobState === 'failed',
  };
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const isNumber = (field = ''): boolean => /^\d+$/.test(field);
const stepOf = (field: string): string | undefined => /^\*\/(\d+)$/.exec(field)?.[1];

/** Common cron expressions in words; others are returned unchanged. */
export function cronWords(expression: string): string {
  const fields = expression.split(' ');
  // A fixed second is omitted.
  if (fields.length === 6 && !isNumber(fields[0])) return expression;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields.slice(-5);
  if (month !== '*') return expression;
  const daily = timeOfDay(minute, hour);
  if (daily === undefined) return expression;
  if (day === '*' && weekday === '*') return isNumber(hour) ? `every day at ${daily}` : daily;
  if (!isNumber(hour)) return expression;
  if (day === '*' && isNumber(weekday)) return `every ${weekdays[Number(weekday)] ?? weekday} at ${daily}`;
  return isNumber(day) && weekday === '*' ? `on day ${day} of the month at ${daily}` : expression;
}

/** The time of day, or how often within a day. */
function timeOfDay(minute: string, hour: string): string | undefined {
  if (isNumber(minute) && isNumber(hour)) return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (minute === '0') return 'every hour';
    if (isNumber(minute)) return `every hour at minute ${minute}`;
    if (/^[\d,]+$/.test(minute)) return `every hour at minutes ${minute.split(',').join(' and ')}`;
    const step = stepOf(minute);
    return step && `every ${step} minutes`;
  }
  const hours = stepOf(hour);
  return hours && minute === '0' ? `every ${hours} hours` : undefined;
}
