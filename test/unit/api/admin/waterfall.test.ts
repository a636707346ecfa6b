/** The time of a job as a waterfall. */
import { describe, expect, it } from 'vitest';
import { waitsText, waterfall } from '../../../../api/admin/waterfall.ts';
import type { JobEvent, JobEventType } from '../../../../core/jobs/event.ts';
import type { JobState } from '../../../../core/jobs/record.ts';
import { problemOf, ServiceError } from '../../../../core/runtime/errors.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 8, 0, second));
const errorOf = (code: 'waiting-for-system' | 'upstream-failed') =>
  problemOf(new ServiceError(code, 'It failed.'), '/x');

function event(second: number, type: JobEventType, state: JobState, data: object = {}): JobEvent {
  return { id: second, at: at(second), type, data: { state, attemptsMade: 1, warnings: 0, ...data } };
}

const events = [
  event(0, 'accepted', 'queued'),
  event(2, 'begun', 'running'),
  event(3, 'retry-scheduled', 'scheduled', { error: errorOf('waiting-for-system') }),
  event(8, 'begun', 'running'),
  event(10, 'retry-scheduled', 'scheduled', { error: errorOf('upstream-failed') }),
  event(12, 'begun', 'running', { attemptsMade: 2 }),
  event(14, 'held', 'held', { attemptsMade: 2 }),
  event(18, 'released', 'queued', { attemptsMade: 2 }),
  event(18, 'begun', 'running', { attemptsMade: 2 }),
  event(20, 'succeeded', 'succeeded', { attemptsMade: 2 }),
];

describe('the waterfall of a job', () => {
  it('has its waits, attempts and the time for which it was held, on one scale', () => {
    const shown = waterfall(events, at(20));
    expect(shown?.total).toBe('20 s');
    expect(shown?.spans.map(({ label, duration, x, width }) => [label, duration, x, width])).toEqual([
      ['Waiting in the queue', '2 s', 0, 10],
      ['Run, counts as no attempt', '1 s', 10, 5],
      ['Waiting for an outside system', '5 s', 15, 25],
      ['Attempt 1', '2 s', 40, 10],
      ['Waiting after attempt 1 failed', '2 s', 50, 10],
      ['Attempt 2', '2 s', 60, 10],
      ['Held for a decision', '4 s', 70, 20],
      ['Attempt 2', '2 s', 90, 10],
    ]);
  });

  it('has no bar for the time after its end, and one up to now while it is open', () => {
    expect(waterfall([...events, event(50, 'callback-tried', 'succeeded')], at(20))).toEqual(waterfall(events, at(20)));
    const open = waterfall(events.slice(0, 2), at(4));
    expect(open?.spans.map(({ label, width }) => [label, width])).toEqual([
      ['Waiting in the queue', 50],
      ['Attempt 1', 50],
    ]);
    expect(waterfall([], at(1))).toBeUndefined();
  });

  it('tells waits that use no attempt from attempts', () => {
    expect(waitsText(events)).toBe('1 × for an outside system or space on a disk');
    expect(waitsText([...events, event(21, 'handed-back', 'queued')])).toContain('1 × after the shutdown of a worker');
    expect(waitsText(events.slice(0, 2))).toBeUndefined();
  });
});
