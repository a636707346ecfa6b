/** The two sizes of a chaos run: the long one of the command, and the short one that is part of the tests. */
import type { ChaosOptions } from './chaos.ts';

type Size = Pick<ChaosOptions, 'crew' | 'pace' | 'tempo' | 'settleMs'>;

export const long: Size = {
  crew: { apis: 2, workers: 3, schedulers: 2 },
  pace: { lanes: 10, pauseMs: 300, patienceMs: 120_000 },
  tempo: { shortest: 300, longest: 3_000, lasts: 120_000 },
  settleMs: 150_000,
};

export const short: Size = {
  crew: { apis: 2, workers: 2, schedulers: 1 },
  pace: { lanes: 12, pauseMs: 100, patienceMs: 10_000 },
  tempo: { shortest: 100, longest: 600, lasts: 0 },
  settleMs: 60_000,
};
