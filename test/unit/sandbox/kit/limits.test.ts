import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callsPerWindow, leakyBucket } from '../../../../sandbox/kit/limits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const allowed = (take: () => boolean, calls: number): number =>
  Array.from({ length: calls }, take).filter(Boolean).length;

describe('a leaky bucket', () => {
  it('allows a burst of its capacity, then the given rate', () => {
    const bucket = leakyBucket(() => ({ capacity: 50, perSecond: 2 }));
    expect(allowed(() => bucket.take('one'), 80)).toBe(50);
    vi.advanceTimersByTime(3_000);
    expect(allowed(() => bucket.take('one'), 80)).toBe(6);
    vi.advanceTimersByTime(60_000);
    expect(allowed(() => bucket.take('one'), 80)).toBe(50);
  });

  it('counts each caller separately', () => {
    const bucket = leakyBucket(() => ({ capacity: 1, perSecond: 0 }));
    expect([bucket.take('one'), bucket.take('one'), bucket.take('other')]).toEqual([true, false, true]);
  });
});

describe('a window limit', () => {
  it('rejects calls over the number until the window ends', () => {
    const limit = callsPerWindow(() => ({ calls: 60, seconds: 60 }));
    expect(allowed(() => limit.take('one'), 100)).toBe(60);
    vi.advanceTimersByTime(59_000);
    expect(limit.take('one')).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(allowed(() => limit.take('one'), 100)).toBe(60);
  });
});
