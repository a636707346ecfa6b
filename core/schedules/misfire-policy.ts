/** Decides what to do about each due time: most are on time, some were missed. */
import type { MissedPolicy } from '../jobs/contract.ts';

/**
 * `run`: start its job. `catch-up`: start its job late. `wait-and-catch-up`: likewise, after the previous job has ended.
 * `skip`: missed and not caught up. `skip-paused`: the schedule was paused.
 */
export type Decision = 'run' | 'catch-up' | 'wait-and-catch-up' | 'skip' | 'skip-paused';

export interface DueRun {
  dueAt: Date;
  decision: Decision;
}

/** A due time this late counts as on time, so that a restart of the scheduler misses none. */
export const onTimeMs = 60_000;
/** The policy `all` catches up the newest of the missed runs, up to this number. */
export const maxCatchUpRuns = 24;

/** @param due times without a recorded run, oldest first */
export function decideDueRuns(
  due: readonly Date[],
  { missed, isPaused, now }: { missed: MissedPolicy; isPaused: boolean; now: Date },
): DueRun[] {
  return due.map((dueAt, index) => {
    const laterRuns = due.length - 1 - index;
    return { dueAt, decision: decide(laterRuns, now.getTime() - dueAt.getTime(), missed, isPaused) };
  });
}

function decide(laterRuns: number, lateMs: number, missed: MissedPolicy, isPaused: boolean): Decision {
  if (isPaused) return 'skip-paused';
  if (lateMs <= onTimeMs) return 'run';
  if (missed === 'all') return laterRuns < maxCatchUpRuns ? 'wait-and-catch-up' : 'skip';
  return missed === 'latest' && laterRuns === 0 ? 'catch-up' : 'skip';
}
