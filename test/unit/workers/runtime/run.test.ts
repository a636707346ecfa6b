/** A run: calls with external effects wait until the claim is confirmed; predicted progress is written when it changes. */
import { getEventListeners } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../../../../core/jobs/record.ts';
import previews from '../../../../workers/pdf-preview/contract.ts';
import { Run, timeoutError } from '../../../../workers/runtime/run.ts';

type Refresh = () => Promise<{ claimed: boolean; cancelRequested: boolean }>;
const ours: Refresh = async () => ({ claimed: true, cancelRequested: false });
const theirs: Refresh = async () => ({ claimed: false, cancelRequested: false });
const unavailable: Refresh = async () => {
  throw new Error('the database is unavailable');
};

let run: Run;
let refreshes = 0;
let written: (Progress | undefined)[] = [];
afterEach(() => run.close());

/** A run whose refreshes have these results; the last one repeats. */
function beginRun(takeoverDelayMs: number, results: Refresh[]): void {
  refreshes = 0;
  written = [];
  const records = {
    saveProgress: async (_: unknown, progress: Progress | undefined) => {
      refreshes += 1;
      written.push(progress);
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

describe('work', () => {
  it('settles the run, of which its signal keeps nothing', async () => {
    beginRun(10_000, [ours]);
    expect(await run.unlessStopped(Promise.resolve('done'), 2_000)).toBe('done');
    await expect(run.unlessStopped(Promise.reject(new Error('broken')), 2_000)).rejects.toThrow('broken');
    expect(getEventListeners(run.signal, 'abort')).toEqual([]);
  });

  it('that ignores the signal is given up some time after it', async () => {
    beginRun(10_000, [ours]);
    const ended = run.unlessStopped(new Promise(() => undefined), 20);
    run.stop('cancelled');
    await expect(ended).rejects.toMatchObject({ reason: 'cancelled' });
  });
});

describe('progress with a prediction', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    beginRun(10_000, [ours]);
  });
  afterEach(() => void vi.useRealTimers());

  it('is written at once the first time', async () => {
    run.progress('photos', 0, 9, 0, 1_000);
    await vi.advanceTimersByTimeAsync(0);
    expect(written).toMatchObject([{ percent: 0, endsAt: new Date(Date.now() + 1_000).toISOString() }]);
  });

  it('waits for the next tick in a job that ends within 200 ms', async () => {
    run.progress('photos', 0, 9, 0, 199);
    await vi.advanceTimersByTimeAsync(0);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(300);
    expect(written).toHaveLength(1);
  });

  it('is written again after a second, in another stage, or when the end moves by more than a tenth of the rest', async () => {
    run.progress('photos', 0, 9, 0, 60_000);
    await vi.advanceTimersByTimeAsync(600);
    const stillRight = () => run.progress('photos', 1, 9, 1, 60_000);
    stillRight();
    await vi.advanceTimersByTimeAsync(300);
    expect(written).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(300);
    stillRight();
    await vi.advanceTimersByTimeAsync(300);
    expect(written).toHaveLength(2);
    run.progress('photos', 2, 9, 2, 50_000);
    await vi.advanceTimersByTimeAsync(300);
    expect(written).toHaveLength(3);
    run.progress('fitting', 0, 9, 2, 49_700);
    await vi.advanceTimersByTimeAsync(300);
    expect(written.map(progress => progress?.stage)).toEqual(['photos', 'photos', 'photos', 'fitting']);
  });

  it('never falls below the percentage that a caller has seen', async () => {
    run.progress('photos', 0, 9, 0, 1_000);
    await vi.advanceTimersByTimeAsync(500);
    run.progress('photos', 1, 9, 10, 5_000);
    await vi.advanceTimersByTimeAsync(300);
    expect(written.at(-1)).toMatchObject({ percent: 49 });
  });
});

it('fails for good at its time limit, unless a call waited or the kind retries such runs', () => {
  const contract = { timeoutMs: 30_000 };
  expect(timeoutError(contract, { stage: 'photos', stoppedWait: undefined })).toMatchObject({
    ...{ code: 'job-timed-out', transient: false },
    message: 'The job was stopped after 30 seconds, in the stage “photos”.',
  });
  expect(timeoutError(contract, { stage: undefined, stoppedWait: 'the rate limit of the CRM' })).toMatchObject({
    ...{ code: 'job-timed-out', transient: true },
    message: 'The job was stopped after 30 seconds, while a call waited for the rate limit of the CRM.',
  });
  expect(timeoutError(previews, { stage: 'picturing', stoppedWait: undefined })).toMatchObject({ transient: true });
});
