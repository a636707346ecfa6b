/** States of jobs, and progress as callers see it between two reports. */
import { describe, expect, it } from 'vitest';
import { CallbackTry, changeTypes, JobEventType } from '../../../../core/jobs/event.ts';
import {
  isAtRest,
  isFinal,
  JobState,
  PlannedChanges,
  percentAt,
  progressAt,
  ResultFile,
  Warning,
  waitOf,
} from '../../../../core/jobs/record.ts';

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
  expect(progressAt({ ...running, startedAt: null }, after(5_000))).toEqual(progress);
  expect(progressAt({ ...running, progress: null }, after(5_000))).toBeNull();
});

it('never leaves 0 to 99, whenever the end is expected', () => {
  const reported = { ...progress, percent: 0 };
  expect(percentAt(reported, after(0), after(-5_000))).toBe(0);
  expect(percentAt({ ...reported, endsAt: startedAt.toISOString() }, after(0), after(0))).toBe(0);
  expect(percentAt({ ...reported, endsAt: new Date(after(-60_000)).toISOString() }, after(0), after(5_000))).toBe(99);
  expect(percentAt({ stage: 'x', done: 0, total: 1, percent: 7 }, after(0), after(5_000))).toBe(7);
});

describe('the states of a job', () => {
  it('are final after success, failure and cancellation', () => {
    expect(JobState.options.filter(isFinal)).toEqual(['succeeded', 'failed', 'cancelled']);
  });

  it('change only at a request when they are final or held', () => {
    expect(JobState.options.filter(isAtRest)).toEqual(['held', 'succeeded', 'failed', 'cancelled']);
  });
});

it.each([
  ['waiting-for-system', 'an outside system'],
  ['storage-full', 'space on a disk'],
  ['upstream-failed', undefined],
])('a job with the problem %s waits for %s', (code, wait) => {
  const error = { type: `urn:portal-service:problem:${code}`, title: '', status: 503, detail: '' };
  expect(waitOf({ error })).toBe(wait);
  expect(waitOf({ error: null })).toBeUndefined();
});

describe('the parts of a job as stored', () => {
  const file = {
    key: 'a',
    contentType: 'application/pdf',
    fileName: 'a.pdf',
    bytes: 1,
    sha256: 'b',
    recordKey: 'a.json',
  };
  const item = { key: '7', name: 'Layla', detail: 'old: 1, new: 2' };
  const changes = { outcome: 'deleted', reason: 'It left.', items: [item] };
  const delivery = { try: 1, status: 204, error: null, nextTryAt: null };

  it('are a file, planned changes, the tries of a callback, and events', () => {
    expect(ResultFile.parse(file)).toEqual(file);
    expect(PlannedChanges.parse(changes)).toEqual(changes);
    expect(CallbackTry.parse(delivery)).toEqual(delivery);
    for (const type of [...changeTypes, 'cancel-requested', 'put-back']) expect(JobEventType.parse(type)).toBe(type);
    for (const severity of ['error', 'warning', 'hint', undefined])
      expect(Warning.parse({ pointer: '', detail: 'x', severity })).toMatchObject({ severity });
  });

  it.each<[string, { safeParse(value: unknown): { success: boolean } }, object]>([
    ['a file without its hash', ResultFile, { ...file, sha256: undefined }],
    ['a change of an unknown outcome', PlannedChanges, { ...changes, outcome: 'moved' }],
    ['a changed item without a name', PlannedChanges, { ...changes, items: [{ ...item, name: undefined }] }],
    ['a try before the first', CallbackTry, { ...delivery, try: 0 }],
    ['a try without a result', CallbackTry, { try: 1 }],
    ['a warning of an unknown severity', Warning, { pointer: '', detail: 'x', severity: 'fatal' }],
  ])('are not %s', (_, schema, value) => expect(schema.safeParse(value).success).toBe(false));
});
