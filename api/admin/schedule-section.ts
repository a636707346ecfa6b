/** The schedules on the page of operations: when each fires next, and what came of the last time. */

import { isOff, type ScheduleConfig } from '../../core/schedules/config.ts';
import { dueTimes } from '../../core/schedules/due-times.ts';
import type { ScheduleState } from '../../core/schedules/run.ts';
import type { LastRun } from '../../core/schedules/runs.ts';
import type { Schedule } from '../../core/schedules/schedule.ts';
import { cronWords } from './cron-words.ts';
import { type TimeView, timeView } from './time-words.ts';

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
