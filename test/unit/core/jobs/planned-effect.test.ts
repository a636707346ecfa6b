/** What a release would do, as a sentence and as bars. */
import { expect, it } from 'vitest';
import { beforeAndAfter, plannedEffect } from '../../../../core/jobs/planned-effect.ts';

const none = { created: 0, updated: 0, deleted: 0 };

it.each([
  [
    'rows that disappear from a copy, although nothing is deleted in the target',
    [
      { ...none, place: 'the local copy', deleted: 1_000, rows: 2_000, deletes: 'mark as gone' as const },
      { ...none, place: 'the CRM' },
    ],
    'mark as gone 1,000 of 2,000 in the local copy; the CRM is not changed',
  ],
  [
    'changes of both places',
    [
      { ...none, place: 'the local list', created: 12 },
      { ...none, place: 'the employee records', updated: 146 },
    ],
    'create 12 in the local list; update 146 in the employee records',
  ],
  [
    'deletions first',
    [{ place: 'the local copy', created: 12, updated: 3, deleted: 480, rows: 1_200 }],
    'delete 480 of 1,200, create 12, update 3 in the local copy',
  ],
  ['no change', [{ ...none, place: 'the CRM' }], 'change nothing'],
])('names %s', (_, places, sentence) => expect(plannedEffect(places)).toBe(sentence));

it('draws the rows of a place before and after on one scale, in shares of the longer bar', () => {
  const place = { place: 'the local list', created: 100, updated: 50, deleted: 20, rows: 320 };
  expect(beforeAndAfter([place])).toEqual([
    {
      place: 'The local list',
      before: '320',
      after: '400',
      facts: '20 disappear, 100 new, 50 changed',
      isLess: true,
      shares: { kept: 75, unchanged: 62.5, changed: 12.5, gone: 5, added: 25 },
    },
  ]);
});

it('draws no bars of a place that does not change, or whose number of rows is not known', () => {
  const changed = { ...none, place: 'the CRM', created: 1 };
  expect(beforeAndAfter([changed, { ...none, place: 'the local copy', rows: 10 }])).toEqual([]);
});
