/** Progress as callers see it between two reports. */
import { expect, it } from 'vitest';
import { progressAt } from '../../../../core/jobs/record.ts';

const startedAt = new Date('2026-01-31T08:00:00Z');
const after = (ms: number) => startedAt.getTime() + ms;
const progress = {
  stage: 'printing',
  done: 0,
  total: 40,
  percent: 20,
  endsAt: new Date(after(10_000)).toISOString(),
};
const running = { state: 'running', progress, startedAt, attemptsMade: 1 } as const;

it.each([
  [0, 20],
  [2_000, 20],
  [5_000, 49],
  [10_000, 99],
  [60_000, 99],
])(
  'grows evenly from the start to 99 at the expected end, but is never less than reported: after %i ms',
  (ms, percent) => {
    expect(progressAt(running, after(ms))).toEqual({ ...progress, percent });
  },
);

it('is what was reported in a later attempt, without a prediction, and when the job has ended', () => {
  const { endsAt: _, ...reported } = progress;
  expect(progressAt({ ...running, attemptsMade: 2 }, after(5_000))).toEqual(progress);
  expect(progressAt({ ...running, progress: reported }, after(5_000))).toEqual(reported);
  expect(progressAt({ ...running, state: 'failed' }, after(5_000))).toEqual(reported);
  expect(progressAt({ ...running, progress: null }, after(5_000))).toBeNull();
});
