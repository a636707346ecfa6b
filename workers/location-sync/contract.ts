/**
 * Job kind `location-sync`: mirrors the listing portal's locations; a sync also adds the missing ones to the CRM, each
 * once and after its parent. A plan that looks like a fault of a source is held and changes nothing.
 */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { SyncReport } from '../../core/sync/report.ts';

const count = z.int().min(0);

export default defineJob({
  kind: 'location-sync',
  subject: 'synchronisations',
  summary: 'Updates the local copy of the listing portal’s locations; a sync also adds the missing ones to the CRM.',
  payload: z.object({
    what: z.enum(['update', 'sync']).describe('`update`: the local copy only. `sync`: also the CRM.'),
    city: z.string().optional().describe('Only this city, by its English name.'),
    dryRun: z.boolean().default(false),
  }),
  result: SyncReport.extend({
    what: z.enum(['update', 'sync']).describe('What was updated.'),
    city: z.string().nullable().describe('The only city that was read; null: all cities.'),
    copy: z
      .object({ matched: count, created: count, updated: count, gone: count })
      .describe('The local copy of the portal’s locations.')
      .meta({ examples: [{ matched: 1_162, created: 32, updated: 8, gone: 2 }] }),
  }),
  hasEffects: true,
  attempts: 4,
  backoffMs: 10_000,
  timeoutMs: 60 * 60_000,
  concurrency: 2,
  exclusive: ({ what, city, dryRun }) => (dryRun ? undefined : `${what} ${city ?? 'all'}`),
  schedules: [
    {
      name: 'portal-locations-update',
      summary: 'Reads the listing portal’s locations into the local copy.',
      cron: '0 1 * * *',
      missed: 'latest',
      systems: ['LISTING_PORTAL_URL'],
      payload: { what: 'update' },
    },
    {
      name: 'locations-sync',
      summary: 'Adds the listing portal’s locations that the CRM does not have.',
      cron: '0 3 * * *',
      missed: 'latest',
      systems: ['LISTING_PORTAL_URL', 'CRM_URL'],
      payload: { what: 'sync' },
    },
  ],
});
