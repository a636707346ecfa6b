/** What a release would do, as a sentence. */
import { expect, it } from 'vitest';
import { plannedEffect } from '../../../../core/jobs/planned-effect.ts';

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
])('names %s', (_, places, sentence) => {
  expect(plannedEffect(places)).toBe(sentence);
});
