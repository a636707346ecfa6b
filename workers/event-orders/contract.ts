/** Job kind `event-orders`: creates and updates leads from event orders. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { DryRun, SyncReport } from '../../core/sync/report.ts';

export const EventOrdersRequest = z.object({
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Orders changed since this time. Absent: since the last run; on the first run all orders.'),
  eventId: z
    .string()
    .regex(/^\d{1,20}$/, 'must be the number of an event')
    .optional()
    .describe('Only orders of this event.'),
  dryRun: DryRun,
});

export default defineJob({
  kind: 'event-orders',
  subject: 'leads',
  summary: 'Reads the events platform’s orders and creates one lead for each guest of an event.',
  payload: EventOrdersRequest,
  result: SyncReport,
  hasEffects: true,
  attempts: 5,
  backoffMs: 10_000,
  timeoutMs: 60 * 60_000,
  concurrency: 1,
  exclusive: () => 'all',
  schedules: [
    {
      name: 'event-orders',
      summary: 'Creates leads from the event orders changed since the last run.',
      cron: '*/15 * * * *',
      missed: 'latest',
      systems: ['EVENTS_URL', 'CRM_URL'],
      payload: {},
    },
  ],
});
