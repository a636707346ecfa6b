/** Job kind `activity`: writes people's activity on the portal as notes to their leads. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { SyncReport } from '../../core/sync/report.ts';

const day = z.iso.date({ error: 'must be a day, such as 2026-01-31', abort: true });

export default defineJob({
  kind: 'activity',
  subject: 'leads',
  summary:
    'Reads people’s activity from the log store and writes one note for each lead and day to the CRM. Each log entry is noted once.',
  payload: z.object({
    from: day.optional().describe('First day, in Asia/Dubai; requires `to`. Absent: the three days before today.'),
    to: day.optional().describe('Last day.'),
    dryRun: z.boolean().default(false),
  }),
  result: SyncReport.extend({
    from: day.describe('First day, in Asia/Dubai.'),
    to: day.describe('Last day.'),
  }).describe(
    '`read`: log entries; `matched`: entries noted before; `skipped`: entries of people without a lead; `created`: notes written; `failed`: notes that the CRM rejected.',
  ),
  hasEffects: true,
  attempts: 6,
  backoffMs: 10_000,
  timeoutMs: 6 * 3_600_000,
  concurrency: 1,
  exclusive: ({ dryRun }) => (dryRun ? undefined : 'all'),
  schedules: [
    {
      name: 'user-activity',
      summary: 'Writes yesterday’s activity to the leads, and late entries of the two days before.',
      cron: '30 1 * * *',
      missed: 'latest',
      systems: ['ACTIVITY_LOG_URL', 'CRM_URL'],
      payload: {},
    },
  ],
});
