/** The guard holds plans whose source is probably incomplete or faulty. */
import { describe, expect, it } from 'vitest';
import { type GuardedPlan, type GuardedSource, mirrorLimits, reasonsToHold } from '../../../../core/sync/plan-guard.ts';

const directory: GuardedSource = { title: 'The directory', read: 1_000, lastRead: 1_000 };
const plan = (change: Partial<GuardedPlan> = {}, source: Partial<GuardedSource> = {}): GuardedPlan => ({
  target: 1_000,
  changed: 10,
  deleted: 2,
  sources: [{ ...directory, ...source }],
  ...change,
});

describe('a plan may be applied', () => {
  it.each([
    ['few changes', plan()],
    ['nothing to do', plan({ changed: 0, deleted: 0 })],
    ['the first run with any number of rows', plan({ target: 0 }, { lastRead: undefined, read: 3 })],
    ['a source that grew', plan({}, { read: 5_000 })],
    ['a source at exactly the minimum share', plan({}, { read: 800 })],
    ['changes at exactly the limit', plan({ changed: 300 })],
    ['deletions at exactly the limit', plan({ deleted: 50 })],
    ['as many changes as are free', plan({ target: 20, changed: 20 })],
    ['as many deletions as are free', plan({ target: 5, deleted: 5 })],
    ['a small table where few changes are a large share', plan({ target: 10, changed: 10, deleted: 5 })],
  ])('with %s', (_, given) => expect(reasonsToHold(given)).toEqual([]));
});

describe('a plan is held', () => {
  it.each([
    ['a source is empty', plan({}, { read: 0 }), 'The directory returned no rows.'],
    [
      'a source is empty on the first run',
      plan({}, { read: 0, lastRead: undefined }),
      'The directory returned no rows.',
    ],
    ['a source shrank', plan({}, { read: 500 }), 'The directory returned 500 rows; the last run read 1,000.'],
    ['more rows than the limit would be deleted', plan({ deleted: 51 }), '51 of 1,000 rows would be deleted.'],
    ['more rows than the limit would be changed', plan({ changed: 301 }), '301 of 1,000 rows would be changed.'],
    [
      'many rows would be added to none',
      plan({ target: 0, changed: 1_200 }),
      '1,200 rows would be added, and there are none to compare with.',
    ],
  ])('because %s', (_, given, reason) => expect(reasonsToHold(given)).toEqual([reason]));

  it('for every reason that applies', () =>
    expect(reasonsToHold(plan({ changed: 900, deleted: 900 }, { read: 1 }))).toHaveLength(3));
});

describe('the plan of a mirror', () => {
  it('may change all rows', () => {
    expect(reasonsToHold(plan({ changed: 1_000 }), mirrorLimits)).toEqual([]);
    expect(reasonsToHold(plan({ changed: 1_001 }), mirrorLimits)).toHaveLength(1);
  });

  it('is held for deletions and sources like any other', () => {
    expect(reasonsToHold(plan({ deleted: 51 }), mirrorLimits)).toHaveLength(1);
    expect(reasonsToHold(plan({ target: 10, deleted: 5 }), mirrorLimits)).toEqual([]);
    expect(reasonsToHold(plan({}, { read: 799 }), mirrorLimits)).toHaveLength(1);
  });

  it('may begin without rows where that is allowed, until it has some', () => {
    const limits = { ...mirrorLimits, mayBeginEmpty: true };
    const empty = plan({ target: 0, changed: 0, deleted: 0 }, { read: 0, lastRead: undefined });
    expect(reasonsToHold(empty, limits)).toEqual([]);
    expect(reasonsToHold(empty, mirrorLimits)).toHaveLength(1);
    expect(reasonsToHold({ ...empty, target: 3 }, limits)).toHaveLength(1);
    expect(reasonsToHold({ ...empty, sources: [{ ...directory, read: 0, lastRead: 3 }] }, limits)).toHaveLength(1);
  });
});
