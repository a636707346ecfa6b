/** The end of a worker: it waits for running jobs, but not for a queue that does not close. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { drain } from '../../../../workers/runtime/worker.ts';

const logger = pino({ level: 'silent' });
const never = { close: () => new Promise<void>(() => undefined) };

it('ends with the workers', async () => {
  const stop = vi.fn();
  await drain([{ close: () => sleep(5) }], new Map([['job', { stop }]]), logger, { graceMs: 60_000 });
  expect(stop).not.toHaveBeenCalled();
});

it('ends some time after the grace period although a queue does not close, when no job runs', async () => {
  const runs = new Map([['job', { stop: () => setTimeout(() => runs.delete('job'), 50) }]]);
  const startedAt = performance.now();
  await drain([never], runs, logger, { graceMs: 20, closeWithinMs: 100 });
  expect(runs.size).toBe(0);
  expect(performance.now() - startedAt).toBeGreaterThan(110);
});
