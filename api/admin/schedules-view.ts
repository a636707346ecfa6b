/** The schedules on the page of operations: when each fires next, and what came of the last time. */

import { isOff, type ScheduleConfig } from '../../core/schedules/config.ts';
import type { ScheduleState } from '../../core/schedules/run.ts';
import type { LastRun } from '../../core/schedules/runs.ts';
import { dueTimes, type Schedule } from '../../core/schedules/schedule.ts';
import { type TimeView, timeView } from './format.ts';

export interface ScheduleRow {
  name: string;
  summary: string;
  kind: string;
  cron: string;
  words: string;
  /** Such as `Asia/Dubai`. */
  timeZone: string;
  next: TimeView | null;
  paused: (TimeView & { by: string }) | null;
  off: boolean;
  last: (TimeView & { said: string; by: string | null; jobId: string | null; failed: boolean }) | null;
}

const outcomes: Record<LastRun['outcome'], string> = {
  fired: '',
  'missed-fired': 'made up for later',
  'missed-skipped': 'missed, no scheduler ran',
  'skipped-overlap': 'skipped, the job before was still at work',
  'skipped-paused': 'skipped, it was paused',
};

export function scheduleRows(
  schedules: ReadonlyMap<string, Schedule>,
  known: { states: ReadonlyMap<string, ScheduleState>; lastRuns: readonly LastRun[] },
  config: ScheduleConfig,
): ScheduleRow[] {
  return [...schedules.values()].map(schedule => {
    const { name, summary, job, cron, timeZone } = schedule;
    const state = known.states.get(name);
    const last = known.lastRuns.find(fire => fire.schedule === name);
    const off = isOff(name, config);
    return {
      name,
      summary,
      kind: job.kind,
      cron,
      words: cronWords(cron),
      timeZone,
      next: state?.pausedAt || off ? null : timeView(dueTimes(schedule).next(new Date())),
      paused: state?.pausedAt ? { ...timeView(state.pausedAt), by: state.pausedBy ?? 'nobody known' } : null,
      off,
      last: last ? lastRun(last) : null,
    };
  });
}

function lastRun({ dueAt, outcome, manual, by, jobId, jobState }: LastRun): ScheduleRow['last'] {
  const made = outcome === 'fired' || outcome === 'missed-fired';
  const state = made ? (jobState ?? 'its job is no longer kept') : '';
  return {
    ...timeView(dueAt),
    said: [state, outcomes[outcome]].filter(part => part !== '').join(', '),
    by: manual ? by : null,
    jobId,
    failed: made && jobState === 'failed',
  };
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const isNumber = (field = ''): boolean => /^\d+$/.test(field);
const stepOf = (field: string): string | undefined => /^\*\/(\d+)$/.exec(field)?.[1];
const atTime = (hour: string, minute: string): string =>
  `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;

export function cronWords(expression: string): string {
  const fields = expression.split(' ');
  // The second is not worth a word, unless the schedule is about seconds.
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

/** Of a day: its time, or how often within it. */
function timeOfDay(minute: string, hour: string): string | undefined {
  if (isNumber(minute) && isNumber(hour)) return atTime(hour, minute);
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
