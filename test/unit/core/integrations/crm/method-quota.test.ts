/** The run time of the CRM's methods: who waits how long before a method is called. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openMethodQuota } from '../../../../../core/integrations/crm/method-quota.ts';
import { callContext, withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { recordSleeps } from '../../../../support/recorded-sleeps.ts';

const sleeps = recordSleeps();

const now = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => vi.useRealTimers());

const open = () => openMethodQuota({ name: 'crm', title: 'The CRM' });
type Quota = ReturnType<typeof open>;

/** The time that a caller waits before it calls the methods, in ms; 0: none. */
async function waitOf(quota: Quota, priority: 'interactive' | 'background', ...methods: string[]): Promise<number> {
  sleeps.length = 0;
  await withCallContext({ priority }, () => quota.wait(methods));
  return sleeps[0]?.ms ?? 0;
}

describe('a method that nobody has called', () => {
  it('is called at once', async () => {
    const quota = open();
    expect(await waitOf(quota, 'background', 'a')).toBe(0);
    expect(await waitOf(quota, 'background')).toBe(0);
    expect(sleeps).toEqual([]);
  });
});

describe('a blocked method', () => {
  it.each([
    [500, 1_000],
    [5_000, 5_000],
    [9_000_000, 600_000],
  ])('for %i ms is called after %i ms', async (blockedMs, waitMs) => {
    const quota = open();
    quota.block('a', blockedMs);
    expect(await waitOf(quota, 'background', 'b', 'a')).toBe(waitMs);
    expect(await waitOf(quota, 'background', 'b')).toBe(0);
    vi.setSystemTime(now + waitMs);
    expect(await waitOf(quota, 'background', 'a')).toBe(0);
  });

  it('is called after the reset that the CRM returned last, else after a minute', async () => {
    const quota = open();
    quota.block('a');
    expect(await waitOf(quota, 'background', 'a')).toBe(60_000);
    quota.record('a', { operating: 1, operating_reset_at: 30, finish: 10 });
    quota.block('a');
    expect(await waitOf(quota, 'background', 'a')).toBe(20_000);
    vi.setSystemTime(now + 20_000);
    quota.block('a');
    expect(await waitOf(quota, 'background', 'a')).toBe(60_000);
  });

  it('that is called with others is waited for the longest', async () => {
    const quota = open();
    quota.block('a', 5_000);
    quota.block('b', 7_000);
    expect(await waitOf(quota, 'interactive', 'a', 'b')).toBe(7_000);
  });

  it.each([
    ['interactive', 10_000],
    ['background', 600_000],
  ] as const)('is an error for a caller that would wait too long: %s', async (priority, maxMs) => {
    const quota = open();
    quota.block('a', maxMs);
    expect(await waitOf(quota, priority, 'a')).toBe(maxMs);
    vi.setSystemTime(now - 1);
    await expect(waitOf(quota, priority, 'a')).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: 'The CRM has no run time left for this method; try again later.',
      failure: { kind: 'paused', system: 'crm', retryAfterMs: maxMs + 1 },
    });
  });
});

describe('a method that has used much run time', () => {
  it.each([
    [399.9, 0],
    [400, 20_000],
    [480, 20_000],
  ])('%i s: is called by background work after %i ms, by others at once', async (operating, waitMs) => {
    const quota = open();
    quota.record('a', { operating, operating_reset_at: 30, finish: 10 });
    expect(await waitOf(quota, 'background', 'a')).toBe(waitMs);
    expect(await waitOf(quota, 'interactive', 'a')).toBe(0);
  });

  it('is called by background work after a minute when the CRM names no reset', async () => {
    const quota = open();
    quota.record('a', { operating: 450 });
    expect(await waitOf(quota, 'background', 'a')).toBe(60_000);
  });

  it('is waited for until its block has passed as well', async () => {
    const quota = open();
    quota.record('a', { operating: 450, operating_reset_at: 15, finish: 10 });
    quota.block('a', 9_000);
    expect(await waitOf(quota, 'background', 'a')).toBe(9_000);
  });

  it.each([undefined, {}, { operating_reset_at: 30, finish: 10 }])('is not known from %j', async time => {
    const quota = open();
    quota.record('a', time);
    expect(await waitOf(quota, 'background', 'a')).toBe(0);
  });
});

it('the wait is named, and ends when the caller is cancelled', async () => {
  const quota = open();
  quota.block('a', 5_000);
  const { signal } = new AbortController();
  await withCallContext({ priority: 'background', signal }, async ({ waits }) => {
    const waiting = quota.wait(['a']);
    expect([...waits]).toEqual([{ reason: 'run time of the CRM' }]);
    await waiting;
  });
  await quota.wait(['a']);
  expect(sleeps.map(sleep => sleep.signal)).toEqual([signal, callContext().signal]);
});
