/** Sizes of a chaos run: long for the command, short for the end-to-end test. */
import type { ChaosOptions } from './chaos.ts';
import type { OutageOptions } from './outages.ts';

type Size = Pick<ChaosOptions, 'processes' | 'send' | 'faults' | 'settleMs'>;

export const long: Size = {
  processes: { apis: 2, workers: 3, schedulers: 2 },
  send: { concurrency: 10, pauseMs: 300, timeoutMs: 120_000 },
  faults: { minPauseMs: 300, maxPauseMs: 3_000, durationMs: 120_000 },
  settleMs: 150_000,
};

/** Faults until all requests are sent. */
export const cluster: Size = {
  processes: { apis: 2, workers: 4, schedulers: 2 },
  send: { concurrency: 12, pauseMs: 200, timeoutMs: 180_000 },
  faults: { minPauseMs: 500, maxPauseMs: 5_000, durationMs: 2 * 3_600_000 },
  settleMs: 300_000,
};

export const short: Size = {
  processes: { apis: 2, workers: 2, schedulers: 1 },
  send: { concurrency: 12, pauseMs: 100, timeoutMs: 10_000 },
  faults: { minPauseMs: 100, maxPauseMs: 600, durationMs: 0 },
  // The fault `limit` of the events platform pauses its calls for a minute.
  settleMs: 150_000,
};

type OutageSize = Pick<
  OutageOptions,
  'processes' | 'rounds' | 'deletesOnce' | 'failures' | 'untilJobWaits' | 'recoveryMs'
>;

export const longOutages: OutageSize = {
  processes: { apis: 2, workers: 3, schedulers: 1 },
  rounds: 3,
  deletesOnce: false,
  failures: ['reset', 'bad-gateway', 'no-answer'],
  untilJobWaits: false,
  recoveryMs: 300_000,
};

export const shortOutages: OutageSize = {
  processes: { apis: 1, workers: 2, schedulers: 0 },
  rounds: 1,
  deletesOnce: true,
  failures: ['reset', 'bad-gateway'],
  untilJobWaits: true,
  recoveryMs: 60_000,
};
