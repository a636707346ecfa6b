/** Decisions on due times by the schedule's policy on missed runs. */
import { describe, expect, it } from 'vitest';
import { decideDueRuns, maxCatchUpRuns, onTimeMs } from '../../../../core/schedules/misfire-policy.ts';

const now = new Date('2026-01-31T11:00:20Z');
const hours = (...names: number[]): Date[] => names.map(hour => new Date(Date.UTC(2026, 0, 31, hour)));
const decisions = (due: readonly Date[], missed: 'latest' | 'all' | 'skip', isPaused = false): string[] =>
  decideDueRuns(due, { missed, isPaused, now }).map(({ decision }) => decision);

describe('a due time that is on time', () => {
  it.each(['latest', 'all', 'skip'] as const)('runs with every policy: %s', policy =>
    expect(decisions(hours(11), policy)).toEqual(['run']),
  );

  it('may be late by up to a minute', () => {
    const late = (ms: number) => [new Date(now.getTime() - ms)];
    expect(decisions(late(onTimeMs), 'skip')).toEqual(['run']);
    expect(decisions(late(onTimeMs + 1), 'skip')).toEqual(['skip']);
  });
});

describe('three missed due times', () => {
  const missed = hours(8, 9, 10);

  it('start one job with the policy latest: the newest', () =>
    expect(decisions(missed, 'latest')).toEqual(['skip', 'skip', 'catch-up']));

  it('start three jobs with the policy all, one after the other', () =>
    expect(decisions(missed, 'all')).toEqual(['wait-and-catch-up', 'wait-and-catch-up', 'wait-and-catch-up']));

  it('start none with the policy skip', () => expect(decisions(missed, 'skip')).toEqual(['skip', 'skip', 'skip']));

  it('start none while the schedule is paused', () => {
    for (const policy of ['latest', 'all', 'skip'] as const) {
      expect(decisions(missed, policy, true)).toEqual(['skip-paused', 'skip-paused', 'skip-paused']);
    }
  });

  it('are skipped with the policy latest when a later one is on time', () =>
    expect(decisions(hours(8, 9, 10, 11), 'latest')).toEqual(['skip', 'skip', 'skip', 'run']));
});

it('catches up only the newest of many missed runs with the policy all', () => {
  const many = Array.from(
    { length: maxCatchUpRuns + 3 },
    (_, index) => new Date(now.getTime() - (maxCatchUpRuns + 3 - index) * 3_600_000),
  );
  const decided = decisions(many, 'all');
  expect(decided.slice(0, 3)).toEqual(['skip', 'skip', 'skip']);
  expect(new Set(decided.slice(3))).toEqual(new Set(['wait-and-catch-up']));
});

it('returns no decision when no run is due', () => expect(decisions([], 'all')).toEqual([]));
