/** What becomes of due times that have come, by the schedule's policy on those that were missed. */
import { describe, expect, it } from 'vitest';
import { decideFires, mostMadeUp, punctualMs } from '../../../../core/schedules/misfire-policy.ts';

const now = new Date('2026-01-31T11:00:20Z');
const hours = (...names: number[]): Date[] => names.map(hour => new Date(Date.UTC(2026, 0, 31, hour)));
const decisions = (due: readonly Date[], missed: 'latest' | 'all' | 'skip', isPaused = false): string[] =>
  decideFires(due, { missed, isPaused, now }).map(({ decision }) => decision);

describe('a due time that has just come', () => {
  it.each(['latest', 'all', 'skip'] as const)('is fired whatever the policy: %s', policy => {
    expect(decisions(hours(11), policy)).toEqual(['fire']);
  });

  it('is one that a restart of up to a minute delayed, and no older one', () => {
    const late = (ms: number) => [new Date(now.getTime() - ms)];
    expect(decisions(late(punctualMs), 'skip')).toEqual(['fire']);
    expect(decisions(late(punctualMs + 1), 'skip')).toEqual(['skip']);
  });
});

describe('three due times that were missed', () => {
  const missed = hours(8, 9, 10);

  it('make one job with the policy latest: the newest', () => {
    expect(decisions(missed, 'latest')).toEqual(['skip', 'skip', 'make-up']);
  });

  it('make three jobs with the policy all, one after the other', () => {
    expect(decisions(missed, 'all')).toEqual(['wait-and-make-up', 'wait-and-make-up', 'wait-and-make-up']);
  });

  it('make none with the policy skip', () => {
    expect(decisions(missed, 'skip')).toEqual(['skip', 'skip', 'skip']);
  });

  it('make none while the schedule is paused', () => {
    for (const policy of ['latest', 'all', 'skip'] as const) {
      expect(decisions(missed, policy, true)).toEqual(['skip-paused', 'skip-paused', 'skip-paused']);
    }
  });

  it('are covered by one that has just come, with the policy latest', () => {
    expect(decisions(hours(8, 9, 10, 11), 'latest')).toEqual(['skip', 'skip', 'skip', 'fire']);
  });
});

it('of very many only the newest are made up for with the policy all', () => {
  const many = Array.from(
    { length: mostMadeUp + 3 },
    (_, index) => new Date(now.getTime() - (mostMadeUp + 3 - index) * 3_600_000),
  );
  const decided = decisions(many, 'all');
  expect(decided.slice(0, 3)).toEqual(['skip', 'skip', 'skip']);
  expect(new Set(decided.slice(3))).toEqual(new Set(['wait-and-make-up']));
});

it('nothing is decided where nothing is due', () => {
  expect(decisions([], 'all')).toEqual([]);
});
