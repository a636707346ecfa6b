/** Waits for the rate limit of a system: by priority, in order, and within limits. The buckets are simulated. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRateGate } from '../../../../../core/integrations/kit/call-budget.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { limiterWaitSeconds } from '../../../../../core/telemetry/meter.ts';
import { gate } from '../../../../support/gate.ts';
import { recordSleeps } from '../../../../support/recorded-sleeps.ts';

const sleeps = recordSleeps(ms => void vi.setSystemTime(Date.now() + ms));

type Take = Parameters<typeof openRateGate>[2]['take'];

const system = { name: 'crm', title: 'The CRM' };
const budget = { name: 'crm', capacity: 10, perSecond: 2, reserve: 4 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }));
afterEach(() => vi.useRealTimers());

/** @param waits the bucket's answers in order: ms to wait; then every call is granted */
function openWith(...waits: number[]) {
  const take = vi.fn<Take>(async () => {
    const waitMs = waits.shift();
    return waitMs === undefined ? undefined : { waitMs };
  });
  const block = vi.fn(async () => undefined);
  return { take, block, gate: openRateGate(system, budget, { take, block }) };
}
const interactive = <T>(work: () => T, signal?: AbortSignal): T =>
  withCallContext({ priority: 'interactive', signal }, work);
const background = <T>(work: () => T, signal?: AbortSignal): T =>
  withCallContext({ priority: 'background', signal }, work);

it('interactive calls use the whole bucket, background work leaves the reserve', async () => {
  const { gate: calls, take } = openWith();
  await interactive(() => calls.wait());
  await background(() => calls.wait());
  expect(take.mock.calls).toEqual([
    [budget, 10],
    [budget, 6],
  ]);
});

it('a call waits until the bucket has room, in whole ms', async () => {
  const { gate: calls, take } = openWith(1_200.2, 300);
  await interactive(() => calls.wait());
  expect(sleeps.map(({ ms }) => ms)).toEqual([1_201, 300]);
  expect(take).toHaveBeenCalledTimes(3);
});

it.each([
  ['interactive', interactive, 10_000],
  ['background', background, 600_000],
])('a call that would wait too long is an error: %s', async (_, within, maxMs) => {
  const longest = openWith(maxMs - 1, 1);
  await within(() => longest.gate.wait());
  vi.setSystemTime(0);
  const tooLong = openWith(maxMs - 1, 2);
  await expect(within(() => tooLong.gate.wait())).rejects.toMatchObject({
    code: 'upstream-unavailable',
    message: 'The CRM allows no more calls for now; try again later.',
    failure: { kind: 'paused', after: 'limit', system: 'crm', retryAfterMs: 2 },
  });
});

it('a call after one that failed is not affected', async () => {
  const { gate: calls } = openWith(10_001);
  const [failed, other] = await interactive(() => Promise.allSettled([calls.wait(), calls.wait()]));
  expect([failed.status, other.status]).toEqual(['rejected', 'fulfilled']);
});

describe('the calls of a process', () => {
  it('pass in the order in which they came, one queue for each priority', async () => {
    const first = gate();
    let takes = 0;
    const take: Take = async () => {
      takes += 1;
      if (takes === 1) await first.opened;
      return undefined;
    };
    const calls = openRateGate(system, budget, { take, block: async () => undefined });
    const passed: string[] = [];
    const pass = (name: string) => calls.wait().then(() => passed.push(name));
    const working = background(() => [pass('background 1'), pass('background 2')]);
    await interactive(() => pass('interactive'));
    expect(passed).toEqual(['interactive']);
    first.open();
    await Promise.all(working);
    expect(passed).toEqual(['interactive', 'background 1', 'background 2']);
  });

  it('name what they wait for', async () => {
    const { gate: calls } = openWith();
    await withCallContext({ priority: 'interactive' }, async ({ waits }) => {
      const waiting = calls.wait();
      expect([...waits]).toEqual([{ reason: 'the rate limit of the CRM' }]);
      await waiting;
      expect(waits.size).toBe(0);
    });
  });

  it('end their wait when they are cancelled, and take nothing', async () => {
    const first = gate();
    const take = vi.fn<Take>(() => first.opened.then(() => undefined));
    const calls = openRateGate(system, budget, { take, block: async () => undefined });
    const stop = new AbortController();
    const taking = background(() => calls.wait());
    const waiting = background(() => calls.wait(), stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    first.open();
    await taking;
    await background(() => calls.wait());
    expect(take).toHaveBeenCalledTimes(2);
  });

  it('sleep until they are cancelled', async () => {
    const { signal } = new AbortController();
    await background(() => openWith(5).gate.wait(), signal);
    await background(() => openWith(5).gate.wait());
    expect(sleeps.map(sleep => sleep.signal)).toEqual([signal, undefined]);
  });

  it('are measured by system and priority, also when they fail', async () => {
    const measured = { ...system, name: 'measured' };
    const take: Take = async () => ({ waitMs: 1_000_000 });
    const calls = openRateGate(measured, budget, { take, block: async () => undefined });
    await interactive(() => calls.wait()).catch(() => undefined);
    const { values } = await limiterWaitSeconds.get();
    expect(values.map(({ labels }) => labels)).toContainEqual(
      expect.objectContaining({ system: 'measured', priority: 'interactive' }),
    );
  });
});

it('a pause that the system asks for concerns its bucket', async () => {
  const { gate: calls, block } = openWith();
  await calls.block(300);
  expect(block.mock.calls).toEqual([['crm', 300]]);
});
