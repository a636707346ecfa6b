/** An outside system has not been well for long. */
import { createProcessMetrics } from '../../telemetry/snapshots.ts';
import { outsideCalls } from '../outside-calls.ts';
import { defineRule } from '../rule.ts';

export default defineRule({
  id: 'circuit-open',
  severity: 'warning',
  summary: 'An outside system keeps failing, and is left alone by some process for more than five minutes.',
  mend:
    'See whether the system is up and its credentials still hold (npm run doctor). Jobs that need it are tried again ' +
    'by themselves; those that have failed meanwhile run again with POST /jobs/{id}/retry.',
  lastsSeconds: 300,
  find: async ({ database }) =>
    outsideCalls(await createProcessMetrics(database).read())
      .filter(({ openCircuits }) => openCircuits > 0)
      .map(({ system, openCircuits }) => ({
        subject: system,
        what: `The outside system ${system} keeps failing; it is left alone in ${openCircuits} of the service’s processes.`,
      })),
});
