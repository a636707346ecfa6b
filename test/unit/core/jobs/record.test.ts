/** States of jobs, and the parts of their rows. */
import { describe, expect, it } from 'vitest';
import { CallbackTry, changeTypes, JobEventType } from '../../../../core/jobs/event.ts';
import {
  isAtRest,
  isFinal,
  JobState,
  PlannedChanges,
  ResultFile,
  Warning,
  waitOf,
} from '../../../../core/jobs/record.ts';

describe('the states of a job', () => {
  it('are final after success, failure and cancellation', () =>
    expect(JobState.options.filter(isFinal)).toEqual(['succeeded', 'failed', 'cancelled']));

  it('change only at a request when they are final or held', () =>
    expect(JobState.options.filter(isAtRest)).toEqual(['held', 'succeeded', 'failed', 'cancelled']));
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
