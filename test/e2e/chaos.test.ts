/** The chaos run in its short form: everything that can break breaks once on each queue backend. `npm run chaos` is the long one. */
import { existsSync } from 'node:fs';
import { it } from 'vitest';
import { runChaos } from '../chaos/chaos.ts';
import { reportOf } from '../chaos/report.ts';
import { short } from '../chaos/sizes.ts';
import { verdictOn } from '../chaos/verdict.ts';
import { runningBackends } from '../support/running-service.ts';

/** It looks for what is left behind in /proc. */
const canLook = existsSync('/proc/self/environ');

// Both at once: most of their time is waiting.
it.runIf(canLook).concurrent.for(runningBackends)(
  'what breaks with queues in %s loses no job and does nothing twice',
  { timeout: 300_000 },
  async (backend, { expect }) => {
    const run = await runChaos({
      ...{ backend, jobs: 40, seed: 'short', say: () => {} },
      ...short,
    });
    const breaches = verdictOn(run);
    expect(breaches, reportOf(run, breaches)).toEqual([]);
    expect(run.jobs.filter(({ state }) => state === 'succeeded').length).toBeGreaterThan(20);
  },
);
