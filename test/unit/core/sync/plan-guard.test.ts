/** The guard holds a plan that looks like a fault of a source. */
import { describe, expect, it } from 'vitest';
import { type GuardedPlan, type GuardedSource, reasonsToHold } from '../../../../core/sync/plan-guard.ts';

const directory: GuardedSource = { title: 'The directory', read: 1_000, lastRead: 1_000, complete: true };
const plan = (change: Partial<GuardedPlan> = {}, source: Partial<GuardedSource> = {}): GuardedPlan => ({
  target: 1_000,
  changed: 10,
  deleted: 2,
  sources: [{ ...directory, ...source }],
  ...change,
});

describe('a plan is carried out', () => {
  it.each([
    ['a quiet day', plan()],
    ['nothing to do', plan({ changed: 0, deleted: 0 })],
    ['the first run, whatever the number', plan({ target: 0 }, { lastRead: undefined, read: 3 })],
    ['a source that grew', plan({}, { read: 5_000 })],
    ['a source at exactly the least share', plan({}, { read: 800 })],
    ['changes at exactly the most', plan({ changed: 300 })],
    ['deletions at exactly the most', plan({ deleted: 50 })],
    ['a small table where few changes are a large share', plan({ target: 10, changed: 10, deleted: 5 })],
  ])('on %s', (_, given) => {
    expect(reasonsToHold(given)).toEqual([]);
  });
});

describe('a plan is held', () => {
  it.each([
    [
      'a source was not read to its end',
      plan({}, { complete: false }),
      'The directory was not read to its end.',
    ],
    ['a source is empty', plan({}, { read: 0 }), 'The directory answered with nothing at all.'],
    [
      'a source is empty at the first run',
      plan({}, { read: 0, lastRead: undefined }),
      'The directory answered with nothing at all.',
    ],
    [
      'a source shrank',
      plan({}, { read: 500 }),
      'The directory answered with 500 rows; the last time there were 1000.',
    ],
    ['much would be deleted', plan({ deleted: 51 }), '51 of 1000 rows would be deleted.'],
    ['much would be changed', plan({ changed: 301 }), '301 of 1000 rows would be changed.'],
  ])('because %s', (_, given, reason) => {
    expect(reasonsToHold(given)).toEqual([reason]);
  });

  it('with every reason told', () => {
    expect(reasonsToHold(plan({ changed: 900, deleted: 900 }, { read: 1 }))).toHaveLength(3);
  });
});
