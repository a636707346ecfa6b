/** A run: calls with external effects wait until the claim is confirmed; progress is written in steps. */
import { getEventListeners } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
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
  onTestFinished(() => run.close());
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

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    beginRun(10_000, [ours]);
  });
  afterEach(() => void vi.useRealTimers());
  const percents = () => written.map(progress => progress?.percent);

  it('is written within 100 ms in another stage and after 5 points, otherwise within a second', async () => {
    const report = async (stage: string, percent: number, ms: number) => {
      run.progress(stage, 0, 9, percent);
      await vi.advanceTimersByTimeAsync(ms);
    };
    await report('photos', 0, 100);
    expect(percents()).toEqual([0]);
    await report('photos', 4, 100);
    expect(percents()).toEqual([0]);
    await report('photos', 5, 100);
    expect(percents()).toEqual([0, 5]);
    await report('fitting', 6, 100);
    expect(percents()).toEqual([0, 5, 6]);
    await report('fitting', 7, 1_200);
    expect(percents()).toEqual([0, 5, 6, 7]);
  });

  it('never decreases', async () => {
    run.progress('photos', 0, 9, 40);
    await vi.advanceTimersByTimeAsync(100);
    run.progress('fitting', 0, 9, 10);
    await vi.advanceTimersByTimeAsync(100);
    expect(percents()).toEqual([40, 40]);
  });
});

it('fails for good at its time limit, unless a call waited or the kind retries such runs', () => {
  const contract = { timeoutMs: 30_000 };
  expect(timeoutError(contract, { stage: 'photos', stoppedWait: undefined })).toMatchObject({
    code: 'job-timed-out',
    transient: false,
    message: 'The job was stopped after 30 seconds, in the stage “photos”.',
  });
  expect(timeoutError(contract, { stage: undefined, stoppedWait: 'the rate limit of the CRM' })).toMatchObject({
    code: 'job-timed-out',
    transient: true,
    message: 'The job was stopped after 30 seconds, while a call waited for the rate limit of the CRM.',
  });
  expect(timeoutError(previews, { stage: 'picturing', stoppedWait: undefined })).toMatchObject({ transient: true });
});
