/** The circuit of a system opens after consecutive failures, and closes after a test call that the system answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { newCircuit } from '../../../../../core/integrations/kit/circuit.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';

const system = { name: 'trial', title: 'The trial system' };
const pauseMs = 20;
const down = new UpstreamError('upstream-failed', 'The trial system failed.', {
  ...{ system: 'trial', status: 500, transient: true, maybeExecuted: true, down: true },
});
const missing = new UpstreamError('upstream-failed', 'The trial system rejected the call.', {
  ...{ system: 'trial', status: 404, transient: false, maybeExecuted: false },
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
