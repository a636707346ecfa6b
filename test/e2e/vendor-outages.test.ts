/** The short run with outages of vendor systems; `npm run chaos -- --outages` is the long one. */
import { existsSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { runOutages, vendorSystems } from '../chaos/outages.ts';
import { outageReportOf, reportOf } from '../chaos/report.ts';
import { shortOutages } from '../chaos/sizes.ts';
import { findOutageViolations } from '../chaos/violations.ts';
import { runningBackends } from '../support/running-service.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** `findLeftovers` reads /proc. */
const hasProc = existsSync('/proc/self/environ');

it.runIf(hasProc)('every job succeeds once after outages of the CRM and of all other systems', async () => {
  const run = await runOutages({
    backend: runningBackends.at(-1) ?? 'postgres',
    seed: 'short',
    outageMs: 4_000,
    log: () => {},
    groups: [['crm'], vendorSystems.filter(system => system !== 'crm')],
    ...shortOutages,
  });
  const violations = findOutageViolations(run);
  expect(violations, `${outageReportOf(run)}\n${reportOf(run, violations)}`).toEqual([]);
  for (const { waited } of run.outages) expect(waited).toBeGreaterThan(0);
});
