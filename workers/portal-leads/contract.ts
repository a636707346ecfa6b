/** Job kind `portal-leads`: puts enquiries of the listing portal into the CRM. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { DryRun, SyncReport } from '../../core/sync/report.ts';

export const PortalLeadsRequest = z.object({
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe(
      'Enquiries created since this time, three months ago at most. Absent: since the last run; on the first run a day.',
    ),
  dryRun: DryRun,
});

export default defineJob({
  kind: 'portal-leads',
  subject: 'leads',
  summary:
    'Puts an enquiry of the listing portal into the CRM, as a lead of the right agent; or reads those that no webhook brought.',
  payload: PortalLeadsRequest.extend({ eventId: z.string().optional() }),
  result: SyncReport.describe(
    '`created`: leads; `updated`: comments on leads that the persons had, and changed agents; `matched`: enquiries that are in the CRM.',
  ),
  hasEffects: true,
  attempts: 8,
  backoffMs: 2_000,
  timeoutMs: 30 * 60_000,
  maxOutageMs: 3 * 86_400_000,
  concurrency: 4,
  exclusive: ({ eventId }) => (eventId === undefined ? 'read' : undefined),
  schedules: [
    {
      name: 'portal-leads',
      summary: 'Reads the enquiries of the listing portal that no webhook brought.',
      cron: '*/15 * * * *',
      missed: 'latest',
      systems: ['LISTING_PORTAL_URL', 'CRM_URL'],
      payload: {},
    },
  ],
});
