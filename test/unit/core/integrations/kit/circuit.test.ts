/** The circuit of a system opens after consecutive failures, and closes after a test call that the system answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { type CircuitPauses, newCircuit } from '../../../../../core/integrations/kit/circuit.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { circuitState } from '../../../../../core/telemetry/meter.ts';
import { gate as newGate } from '../../../../support/gate.ts';
import { logLines } from '../../../../support/log-lines.ts';

const system = { name: 'trial', title: 'The trial system' };
const pauseMs = 20;
const down = new UpstreamError('upstream-failed', 'The trial system failed.', {
  kind: 'failing',
  system: 'trial',
  status: 500,
});
const missing = new UpstreamError('upstream-failed', 'The trial system rejected the call.', {
  kind: 'rejected',
  system: 'trial',
  status: 404,
});

const working = async () => 'done';
const failing = () => Promise.reject(down);

/** A circuit that is open and whose pause has passed: the next call is the test call. */
async function testedCircuit() {
  const circuit = newCircuit(system, pino({ level: 'silent' }), { firstMs: pauseMs, maxMs: pauseMs });
  const run = (send: () => Promise<unknown>) => circuit.run(send).catch((error: unknown) => error);
  for (let call = 0; call < 6; call += 1) await run(failing);
  expect(circuit.stateName()).toBe('open');
  await sleep(pauseMs + 1);
  return { circuit, run };
}

it.each([
  ['is closed by a success', working, 'closed'],
  ['is closed by a rejection: the system answers', () => Promise.reject(missing), 'closed'],
  ['stays open after another failure', failing, 'open'],
  ['stays open after a cancelled test call', () => Promise.reject(new DOMException('cancelled', 'AbortError')), 'open'],
])('%s', async (_, send, state) => {
  const { circuit, run } = await testedCircuit();
  await run(send);
  expect(circuit.stateName()).toBe(state);
  await sleep(pauseMs + 1);
  expect(await run(working)).toBe('done');
});

it('names the call that failed last while calls are paused', async () => {
  const circuit = newCircuit(system, pino({ level: 'silent' }));
  for (let call = 0; call < 6; call += 1) await circuit.run(failing, `GET /things/${call}`).catch(() => undefined);
  const upstream = { system: 'trial', operation: 'GET /things/5', status: 500, at: expect.any(String) };
  await expect(circuit.run(working, 'GET /others')).rejects.toMatchObject({ code: 'upstream-unavailable', upstream });
});

it('is not opened by cancelled calls', async () => {
  const circuit = newCircuit(system, pino({ level: 'silent' }));
  for (let call = 0; call < 10; call += 1)
    await circuit.run(() => Promise.reject(new Error('cancelled'))).catch(() => undefined);
  expect(circuit.stateName()).toBe('closed');
});

const interactive = <T>(work: () => T) => withCallContext({ priority: 'interactive' }, work);
const failure = (change: Partial<UpstreamError['failure']> = {}) =>
  new UpstreamError('upstream-failed', 'The trial system failed.', { ...down.failure, ...change });
const rejection = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => 'no error',
    (error: unknown) => error,
  );

describe('an open circuit', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 0 }));
  afterEach(() => vi.useRealTimers());

  function opened(pauses?: CircuitPauses) {
    const { logger, lines: logged } = logLines();
    const circuit = newCircuit(system, logger, pauses);
    return { circuit, logged };
  }
  type Opened = ReturnType<typeof opened>['circuit'];
  async function fail(circuit: Opened, times = 1, error = down): Promise<unknown> {
    let last: unknown;
    for (let call = 0; call < times; call += 1)
      last = await rejection(circuit.run(() => Promise.reject(error), 'GET /x'));
    return last;
  }

  /** An open circuit with a test call in progress, which ends as `outcome` after `end`. */
  async function testing(outcome: () => Promise<unknown> = working) {
    const { circuit, logged } = opened();
    await fail(circuit, 6);
    vi.setSystemTime(5_000);
    const [begun, ended] = [newGate(), newGate()];
    const test = rejection(
      circuit.run(async () => {
        begun.open();
        await ended.opened;
        return await outcome();
      }),
    );
    await begun.opened;
    const end = async () => {
      ended.open();
      await test;
    };
    return { circuit, logged, end };
  }

  it('was opened by the sixth failure in a row', async () => {
    const { circuit, logged } = opened();
    await fail(circuit, 5);
    await circuit.run(working);
    await fail(circuit, 5);
    expect([circuit.stateName(), logged()]).toEqual(['closed', []]);
    await fail(circuit);
    expect(circuit.stateName()).toBe('open');
    expect(logged()).toEqual([{ level: 40, system: 'trial', msg: expect.stringContaining('circuit is open') }]);
  });

  it('rejects calls at once, with the time until the next test call', async () => {
    const { circuit } = opened();
    await fail(circuit, 6);
    vi.setSystemTime(2_000);
    const send = vi.fn(working);
    expect(await rejection(circuit.run(send))).toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringContaining('calls are paused'),
      failure: {
        kind: 'paused',
        system: 'trial',
        retryAfterMs: 3_000,
        call: { operation: 'GET /x', status: 500, at: '1970-01-01T00:00:00.000Z' },
      },
    });
    expect(await rejection(circuit.ready())).toMatchObject({ failure: { retryAfterMs: 3_000 } });
    expect(send).not.toHaveBeenCalled();
  });

  it('pauses twice as long after each test call that fails, up to a limit', async () => {
    const { circuit } = opened({ firstMs: 1_000, maxMs: 3_000 });
    await fail(circuit, 6);
    let pausedUntil = 0;
    for (const pauseMs of [1_000, 2_000, 3_000, 3_000]) {
      pausedUntil += pauseMs;
      vi.setSystemTime(pausedUntil - 1);
      expect(await rejection(circuit.run(working))).toMatchObject({ failure: { retryAfterMs: 1 } });
      vi.setSystemTime(pausedUntil);
      await fail(circuit);
    }
  });

  it('makes the failure that opened it unavailable until the pause has passed, or as long as the vendor asks', async () => {
    const { circuit } = opened({ firstMs: 1_000, maxMs: 9_000 });
    vi.setSystemTime(500);
    const opening = await fail(circuit, 6);
    expect(opening).toMatchObject({
      code: 'upstream-failed',
      message: 'The trial system failed.',
      failure: { kind: 'paused', after: 'failing', status: 500, retryAfterMs: 1_000, call: { operation: 'GET /x' } },
    });
    vi.setSystemTime(1_500);
    expect(await fail(circuit, 1, failure({ retryAfterMs: 30_000 }))).toMatchObject({
      failure: { kind: 'paused', retryAfterMs: 30_000 },
    });
  });

  it('leaves failures of other kinds as they are, of calls that were sent before', async () => {
    const { circuit } = opened();
    const gate = newGate();
    const cancelled = new Error('cancelled');
    const calls = [missing, cancelled].map(error =>
      rejection(circuit.run(() => gate.opened.then(() => Promise.reject(error)), 'GET /before')),
    );
    await fail(circuit, 6);
    gate.open();
    const [rejected, other] = await Promise.all(calls);
    expect(rejected).toMatchObject({ failure: { status: 404, call: { operation: 'GET /before', status: 404 } } });
    expect(rejected).not.toMatchObject({ failure: { kind: 'paused' } });
    expect(other).toBe(cancelled);
    expect(await rejection(circuit.run(working))).toMatchObject({ failure: { call: { operation: 'GET /x' } } });
  });

  it('names a call without an answer without a status', async () => {
    const { circuit } = opened();
    const { status: _, ...withoutStatus } = down.failure;
    const lost = new UpstreamError('upstream-timeout', 'no answer', withoutStatus);
    expect(await rejection(circuit.run(() => Promise.reject(lost)))).toMatchObject({
      failure: { call: { operation: 'a call', status: null } },
    });
  });

  it('lets one test call pass, for which the others wait', async () => {
    const { circuit, logged, end } = await testing();
    expect(circuit.stateName()).toBe('half-open');
    const send = vi.fn(working);
    const waiting = withCallContext({ priority: 'interactive' }, ({ waits }) => {
      const call = circuit.run(send);
      expect([...waits]).toEqual([{ reason: 'the circuit of the trial system' }]);
      return call;
    });
    expect(send).not.toHaveBeenCalled();
    await end();
    expect(await waiting).toBe('done');
    expect(circuit.stateName()).toBe('closed');
    expect(logged()[1]).toEqual({ level: 30, system: 'trial', msg: expect.stringContaining('circuit is closed') });
  });

  it('rejects the calls that waited when the test call fails', async () => {
    const { circuit, end } = await testing(failing);
    const waiting = rejection(circuit.ready());
    await end();
    expect(await waiting).toMatchObject({ failure: { kind: 'paused', retryAfterMs: 10_000 } });
  });

  it('rejects a call that began with the test call when that fails', async () => {
    const { circuit } = opened();
    await fail(circuit, 6);
    vi.setSystemTime(5_000);
    const [test, other] = await Promise.all([rejection(circuit.run(failing)), rejection(circuit.run(working))]);
    expect(test).toMatchObject({ code: 'upstream-failed' });
    expect(other).toMatchObject({ code: 'upstream-unavailable', failure: { retryAfterMs: 10_000 } });
  });

  it('rejects a call that waited for the test call as long as its caller waits at most', async () => {
    const { circuit, end } = await testing();
    const waiting = interactive(() => rejection(circuit.ready()));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([waiting, 'waits'])).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toMatchObject({ code: 'upstream-unavailable', failure: { retryAfterMs: 5_000 } });
    await end();
  });

  it('ends the wait of a caller that was cancelled', async () => {
    const { circuit, end } = await testing();
    const stop = new AbortController();
    const waiting = withCallContext({ priority: 'background', signal: stop.signal }, () => rejection(circuit.ready()));
    stop.abort('cancelled');
    expect(await waiting).toBe('cancelled');
    await end();
  });

  it('is counted in the metrics', async () => {
    const metric = async () => (await circuitState.get()).values.find(({ labels }) => labels.system === 'trial')?.value;
    const { circuit } = opened();
    expect(await metric()).toBe(0);
    await fail(circuit, 6);
    expect(await metric()).toBe(2);
    const { end } = await testing();
    expect(await metric()).toBe(1);
    await end();
    expect(await metric()).toBe(0);
  });
});
