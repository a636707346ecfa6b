/** Which calls are retried, how often, and after which delays. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { retryDelayMs, retryLimit, withRetries } from '../../../../../core/integrations/kit/resilience.ts';
import { UpstreamError, type UpstreamFailure } from '../../../../../core/integrations/kit/upstream-error.ts';

const failed = (failure: Partial<UpstreamFailure> = {}) =>
  new UpstreamError('upstream-failed', 'failed', { kind: 'failing', system: 'crm', retryAfterMs: 0, ...failure });

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a failure', () => {
  /** The number of attempts, all of which fail with the error. */
  async function attempts(callClass: 'read' | 'set' | 'create', error: Error, context: object = {}): Promise<number> {
    const send = vi.fn(() => Promise.reject(error));
    const call = withCallContext({ priority: 'interactive', ...context }, () => withRetries(callClass, send));
    await expect(call).rejects.toBe(error);
    return send.mock.calls.length;
  }

  it.each([
    ['read', failed(), 3],
    ['set', failed(), 3],
    ['create', failed(), 1],
    ['create', failed({ kind: 'unreachable' }), 3],
    ['read', failed({ kind: 'rejected' }), 1],
    ['read', failed({ kind: 'paused', after: 'failing' }), 1],
    ['read', failed({ kind: 'repeated', after: 'failing' }), 1],
    ['read', new Error('other'), 1],
  ] as const)('of a %s (%s) is met in %i attempts', async (callClass, error, count) =>
    expect(await attempts(callClass, error)).toBe(count),
  );

  it('is met more often by background work', async () => {
    expect(await attempts('read', failed(), { priority: 'background' })).toBe(7);
    expect([retryLimit('interactive'), retryLimit('background')]).toEqual([2, 6]);
  });

  it('is met once where the state of a system is measured', async () =>
    expect(await attempts('read', failed(), { retries: false })).toBe(1));

  it('ends with the reason of the caller’s abort', async () => {
    const stop = new AbortController();
    const send = vi.fn(async () => {
      stop.abort(new Error('cancelled'));
      throw failed();
    });
    const call = withCallContext({ priority: 'background', signal: stop.signal }, () => withRetries('read', send));
    await expect(call).rejects.toThrow('cancelled');
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('is forgotten after a success', async () => {
    const send = vi.fn().mockRejectedValueOnce(failed()).mockResolvedValueOnce('done');
    expect(await withRetries('read', send)).toBe('done');
  });
});

describe('the delay', () => {
  const delays = (attempt: number, error: unknown, priority: 'interactive' | 'background') =>
    [0, 1].map(random => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      return retryDelayMs(attempt, error, priority);
    });

  it.each([
    [1, [125, 250]],
    [2, [250, 500]],
    [4, [1_000, 2_000]],
    [5, [1_000, 2_000]],
  ])('before retry %i is between %j ms for interactive calls', (attempt, range) =>
    expect(delays(attempt, undefined, 'interactive')).toEqual(range),
  );

  it.each([
    [5, [2_000, 4_000]],
    [20, [30_000, 60_000]],
  ])('before retry %i is between %j ms for background work', (attempt, range) =>
    expect(delays(attempt, new Error('other'), 'background')).toEqual(range),
  );

  it('is that which the vendor asks for, or a little more, within the limit', () => {
    expect(delays(1, failed({ retryAfterMs: 1_000 }), 'interactive')).toEqual([1_000, 1_250]);
    expect(delays(9, failed({ retryAfterMs: 0 }), 'background')).toEqual([0, 0]);
    expect(delays(1, failed({ retryAfterMs: 600_000 }), 'interactive')).toEqual([2_000, 2_500]);
  });

  describe('of a call', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

    it('is that of its error and attempt', async () => {
      vi.spyOn(Math, 'random').mockReturnValue(0);
      const send = vi
        .fn()
        .mockRejectedValueOnce(failed({ retryAfterMs: 700 }))
        .mockRejectedValueOnce(new UpstreamError('upstream-failed', 'x', { kind: 'failing', system: 'crm' }))
        .mockResolvedValue('done');
      const call = withCallContext({ priority: 'background' }, () => withRetries('read', send));
      for (const [ms, calls] of [
        [699, 1],
        [1, 2],
        [249, 2],
        [1, 3],
      ] as const) {
        await vi.advanceTimersByTimeAsync(ms);
        expect(send).toHaveBeenCalledTimes(calls);
      }
      expect(await call).toBe('done');
    });
  });
});
