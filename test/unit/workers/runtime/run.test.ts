/** The fence of a run: calls with external effects wait until the claim is confirmed. */
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { Run } from '../../../../workers/runtime/run.ts';

type Refresh = () => Promise<{ claimed: boolean; cancelRequested: boolean }>;
const ours: Refresh = async () => ({ claimed: true, cancelRequested: false });
const theirs: Refresh = async () => ({ claimed: false, cancelRequested: false });
const unavailable: Refresh = async () => {
  throw new Error('the database is unavailable');
};

let run: Run;
let refreshes = 0;
afterEach(() => run.close());

/** A run whose refreshes have these results; the last one repeats. */
function beginRun(takeoverDelayMs: number, results: Refresh[]): void {
  refreshes = 0;
  const records = {
    saveProgress: async () => {
      refreshes += 1;
      return await (results[Math.min(refreshes, results.length) - 1] ?? ours)();
    },
    checkpoint: async () => undefined,
    saveCheckpoint: async () => true,
    confirmClaim: async () => true,
  };
  run = new Run('trial_1', { timeoutMs: 60_000, takeoverDelayMs }, records, pino({ level: 'silent' }));
}

/** Blocks the event loop, as when the process is suspended. */
function suspend(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('does not refresh within the takeover delay', async () => {
  beginRun(10_000, [theirs]);
  await run.fence();
  expect(refreshes).toBe(0);
});

it('refreshes once after the takeover delay', async () => {
  beginRun(50, [ours]);
  suspend(60);
  await run.fence();
  await run.fence();
  expect(refreshes).toBe(1);
});

it('rejects when another run has claimed the job', async () => {
  beginRun(50, [theirs]);
  suspend(60);
  await expect(run.fence()).rejects.toMatchObject({ reason: 'claim-lost' });
  expect(run.signal.aborted).toBe(true);
});

it('waits while the claim is unknown', async () => {
  beginRun(50, [unavailable, unavailable, ours]);
  suspend(60);
  await run.fence();
  expect(refreshes).toBe(3);
});
