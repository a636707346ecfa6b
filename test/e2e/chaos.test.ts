/** The short chaos run on each queue backend; `npm run chaos` is the long one. */
import { existsSync } from 'node:fs';
import { it, vi } from 'vitest';
import { runChaos } from '../chaos/chaos.ts';
import { reportOf } from '../chaos/report.ts';
import { short } from '../chaos/sizes.ts';
import { findViolations } from '../chaos/violations.ts';
import { runningBackends } from '../support/running-service.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** `findLeftovers` reads /proc. */
const hasProc = existsSync('/proc/self/environ');

// Concurrently: they wait most of the time.
it.runIf(hasProc).concurrent.for(runningBackends)(
  'loses no job and repeats no effect under faults, with queues in %s',
  { timeout: 300_000 },
  async (backend, { expect }) => {
    const run = await runChaos({
      backend,
      jobs: 40,
      seed: 'short',
      log: () => {},
      ...short,
    });
    const violations = findViolations(run);
    expect(violations, reportOf(run, violations)).toEqual([]);
    expect(run.jobs.filter(({ state }) => state === 'succeeded').length).toBeGreaterThan(20);
  },
);
