/** What is to be done about each due time that has come: most have just come, some were missed. */
import type { MissedPolicy } from '../jobs/contract.ts';

/**
 * `fire`: make its job. `make-up`: make its job, late. `wait-and-make-up`: likewise, once the job before has ended.
 * `skip`: it was missed and stays so. `skip-paused`: the schedule was paused.
 */
export type Decision = 'fire' | 'make-up' | 'wait-and-make-up' | 'skip' | 'skip-paused';

export interface DecidedFire {
  dueAt: Date;
  decision: Decision;
}

/** A fire up to this late was not missed: a scheduler was just being restarted, in ms. */
export const punctualMs = 60_000;
/** Of the policy `all`: more than these, the newest, are not made up for. */
export const mostMadeUp = 24;

/** @param due the due times that are not settled, the oldest first */
export function decideFires(
  due: readonly Date[],
  { missed, isPaused, now }: { missed: MissedPolicy; isPaused: boolean; now: Date },
): DecidedFire[] {
  return due.map((dueAt, index) => {
    const laterOnes = due.length - 1 - index;
    return { dueAt, decision: decide(laterOnes, now.getTime() - dueAt.getTime(), missed, isPaused) };
  });
}

function decide(laterOnes: number, lateMs: number, missed: MissedPolicy, isPaused: boolean): Decision {
  if (isPaused) return 'skip-paused';
  if (lateMs <= punctualMs) return 'fire';
  if (missed === 'all') return laterOnes < mostMadeUp ? 'wait-and-make-up' : 'skip';
  return missed === 'latest' && laterOnes === 0 ? 'make-up' : 'skip';
}
