/** Job kind `crm-acquisition`: updates the mirrors of the CRM's deals and locations. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { SyncReport } from '../../core/sync/report.ts';

export default defineJob({
  kind: 'crm-acquisition',
  subject: 'synchronisations',
  summary:
    'Reads deals or locations from the CRM into the local database: the changes since the last read, or all rows. Readers see the old state until the new one is complete.',
  payload: z.object({
    what: z.enum(['deals', 'locations']),
    full: z.boolean().default(false).describe('Reads all rows, which also finds those deleted in the CRM.'),
    dryRun: z.boolean().default(false),
  }),
  result: SyncReport.extend({
    what: z.enum(['deals', 'locations']).describe('What was read.'),
    full: z
      .boolean()
      .describe('True if all rows were read, as on the first run; false if only changed ones.')
      .meta({ examples: [false] }),
    asOf: z.iso.datetime().describe('When the read started.'),
  }),
  attempts: 4,
  backoffMs: 5_000,
  timeoutMs: 30 * 60_000,
  concurrency: 2,
  exclusive: ({ what, dryRun }) => (dryRun ? undefined : what),
  schedules: [
    {
      name: 'deals-acquisition',
      summary: 'Reads the deals that have changed.',
      cron: '0 * * * *',
      missed: 'latest',
      systems: ['CRM_URL'],
      payload: { what: 'deals' },
    },
    {
      name: 'all-deals-acquisition',
      summary: 'Reads all deals, and removes those deleted in the CRM.',
      cron: '30 2 * * *',
      missed: 'latest',
      systems: ['CRM_URL'],
      payload: { what: 'deals', full: true },
    },
    {
      name: 'locations-acquisition',
      summary: 'Reads all CRM locations.',
      cron: '15 2 * * *',
      missed: 'latest',
      systems: ['CRM_URL'],
      payload: { what: 'locations', full: true },
    },
  ],
});
