/** The access token of a vendor: shared, renewed in time, and waited for within limits. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callContext, withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { type AccessToken, cacheToken } from '../../../../../core/integrations/kit/token-cache.ts';
import { gate } from '../../../../support/gate.ts';

const system = { name: 'crm', title: 'The CRM' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 0 }));
afterEach(() => vi.useRealTimers());

/** Tokens `1`, `2` and so on, each valid for two minutes. */
function numbered() {
  let issued = 0;
  const fetch = vi.fn(async (): Promise<AccessToken> => {
    issued += 1;
    return { value: String(issued), expiresAt: Date.now() + 120_000 };
  });
  return { fetch, cache: cacheToken(system, fetch) };
}

it('is fetched once, and again a minute before it expires', async () => {
  const { cache, fetch } = numbered();
  expect([await cache.get(), await cache.get()]).toEqual(['1', '1']);
  vi.setSystemTime(59_999);
  expect(await cache.get()).toBe('1');
  vi.setSystemTime(60_000);
  expect(await cache.get()).toBe('2');
  expect(fetch).toHaveBeenCalledTimes(2);
});

it('is fetched again after the vendor rejected it', async () => {
  const { cache } = numbered();
  await cache.get();
  cache.invalidate();
  expect([await cache.get(), await cache.get()]).toEqual(['2', '2']);
});

it('is fetched once for concurrent calls, and again after a failure', async () => {
  const issue = gate();
  const fetch = vi.fn(async (): Promise<AccessToken> => {
    await issue.opened;
    if (fetch.mock.calls.length === 1) throw new Error('down');
    return { value: 'second', expiresAt: 120_000 };
  });
  const cache = cacheToken(system, fetch);
  const calls = [cache.get(), cache.get()];
  issue.open();
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(await cache.get()).toBe('second');
});

describe('the wait for a token', () => {
  const neverIssued = () => cacheToken(system, () => new Promise<AccessToken>(() => undefined));

  it('is named, and limited to the time that the caller waits at most', async () => {
    const cache = neverIssued();
    const waiting = withCallContext({ priority: 'interactive' }, context => {
      const token = cache.get().catch((error: unknown) => error);
      expect([...context.waits]).toEqual([{ reason: 'an access token of the CRM' }]);
      return token;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([waiting, 'waits'])).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toMatchObject({
      code: 'upstream-unavailable',
      message: 'The CRM issued no access token in time; try again later.',
      failure: { kind: 'unreachable', system: 'crm' },
    });
  });

  it('ends when the caller is cancelled; the others get the token', async () => {
    const issue = gate();
    const signals: (AbortSignal | undefined)[] = [];
    const cache = cacheToken(system, async () => {
      signals.push(callContext().signal);
      await issue.opened;
      return { value: 'shared', expiresAt: 120_000 };
    });
    const stop = new AbortController();
    const cancelled = withCallContext({ priority: 'background', signal: stop.signal }, () => cache.get());
    const other = cache.get();
    stop.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    issue.open();
    expect(await other).toBe('shared');
    expect(signals).toEqual([undefined]);
  });
});
