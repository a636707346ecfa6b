/** Brings the local copies of the CRM's deals and locations up to date. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { SyncReport } from '../../core/sync/report.ts';

export default defineJob({
  kind: 'crm-acquisition',
  subject: 'synchronisations',
  summary:
    'Reads deals or locations from the CRM into the local database: what has changed since the last time, or all of it. Readers see the old state until the new one is whole.',
  payload: z.object({
    what: z.enum(['deals', 'locations']),
    full: z.boolean().default(false).describe('All of it, which also finds what was deleted in the CRM.'),
  }),
  result: SyncReport.extend({
    what: z.enum(['deals', 'locations']),
    full: z
      .boolean()
      .describe('Whether all was read, as at the first time, or only what has changed.')
      .meta({ examples: [false] }),
    asOf: z.iso.datetime().describe('When the reading began.'),
  }),
  attempts: 4,
  backoffMs: 5_000,
  timeoutMs: 30 * 60_000,
  concurrency: 2,
  exclusive: ({ what }) => what,
  schedules: [
    {
      name: 'deals-acquisition',
      summary: 'Acquires the deals that have changed.',
      cron: '0 * * * *',
      missed: 'latest',
      payload: { what: 'deals' },
    },
    {
      name: 'all-deals-acquisition',
      summary: 'Acquires all deals, so that those deleted in the CRM go here too.',
      cron: '30 2 * * *',
      missed: 'latest',
      payload: { what: 'deals', full: true },
    },
    {
      name: 'locations-acquisition',
      summary: 'Acquires all CRM locations.',
      cron: '15 2 * * *',
      missed: 'latest',
      payload: { what: 'locations', full: true },
    },
  ],
});
