import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTimeout, untilAborted, withTimeout } from '../../../../core/runtime/timeout.ts';

const never = new Promise<never>(() => {});

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('createTimeout', () => {
  it('aborts after the time limit with a TimeoutError', async () => {
    const timeout = createTimeout(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(timeout.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(timeout.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'more than 100 ms' });
    expect(timeout.hasExpired()).toBe(true);
  });

  it('aborts with the outer signal and its reason', () => {
    const outer = new AbortController();
    const timeout = createTimeout(100, outer.signal);
    outer.abort('stop');
    expect([timeout.signal.reason, timeout.hasExpired()]).toEqual(['stop', false]);
    timeout.clear();
  });

  it('is aborted at once by an aborted outer signal', () => {
    const timeout = createTimeout(100, AbortSignal.abort('stop'));
    expect(timeout.signal.reason).toBe('stop');
    timeout.clear();
  });

  it('never aborts after clear', async () => {
    const outer = new AbortController();
    const timeout = createTimeout(100, outer.signal);
    timeout.clear();
    outer.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(timeout.signal.aborted).toBe(false);
  });
});

describe('untilAborted', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve('done'), signal)).toBe('done');
    await expect(untilAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const result = untilAborted(never, controller.signal);
    controller.abort(new Error('stop'));
    await expect(result).rejects.toThrow('stop');
    await expect(untilAborted(never, controller.signal)).rejects.toThrow('stop');
  });
});

describe('withTimeout', () => {
  it('settles as the work does and clears the timer', async () => {
    expect(await withTimeout(Promise.resolve('done'), 100)).toBe('done');
    await expect(withTimeout(Promise.reject(new Error('failed')), 100)).rejects.toThrow('failed');
  });

  it('rejects after the time limit by default', async () => {
    const result = expect(withTimeout(never, 100)).rejects.toThrow('no answer within 100 ms');
    await vi.advanceTimersByTimeAsync(100);
    await result;
  });

  it('settles as onTimeout does after the time limit', async () => {
    const result = withTimeout(never, 100, () => 'late');
    await vi.advanceTimersByTimeAsync(100);
    expect(await result).toBe('late');
    const failing = expect(withTimeout(never, 100, () => Promise.reject(new Error('late')))).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(100);
    await failing;
  });
});
