/** Job kind `employee-resync`: merges the employees of the records, the identity directory and the CRM. */
import { z } from 'zod';
import { OnLinked } from '../../core/domain/employees/employee-view.ts';
import { defineJob } from '../../core/jobs/contract.ts';
import { SyncReport, SyncRow } from '../../core/sync/report.ts';

export const ResyncMode = z.enum(['resync', 'delete-all', 'restore']);
export type ResyncMode = z.infer<typeof ResyncMode>;

/** What a resync changes in each of its targets. */
const { created, updated, deleted, rowsLeftOut } = SyncReport.shape;
const count = z.int().min(0);
const rows = z.array(SyncRow).describe('The changes, one for each employee.');

export const ResyncTargets = z.object({
  localList: z.object({ created, updated, deleted, rows, rowsLeftOut }).describe('The list that the API returns.'),
  employeeRecords: z
    .object({
      updated: count.describe('Records updated.').meta({ examples: [146] }),
      suspended: count.describe('Of them, from another status to Suspended.').meta({ examples: [36] }),
      reactivated: count.describe('Of them, from another status to Active.').meta({ examples: [2] }),
      rows,
      rowsLeftOut,
    })
    .describe('The records system.'),
});
export type ResyncTargets = z.infer<typeof ResyncTargets>;

export default defineJob({
  kind: 'employee-resync',
  subject: 'people',
  summary:
    'Updates employees from the identity directory and the CRM; deletes all records, or restores them from a snapshot.',
  payload: z.object({
    mode: ResyncMode,
    dryRun: z.boolean().default(false),
    onLinked: OnLinked.optional().describe('Of delete-all: for employees to whom other documents link.'),
    relievingDate: z.iso.date().optional().describe('Of employees set to Left.'),
    snapshotId: z.uuid().optional().describe('The snapshot to restore.'),
  }),
  result: SyncReport.extend({
    mode: ResyncMode.describe('What the job did.'),
    snapshotId: z.uuid().nullable().describe('The snapshot that was taken or restored.'),
    targets: ResyncTargets.optional().describe(
      'Of a resync: the changes of each target; planned ones in a dry or held run. The counters above describe the local list.',
    ),
    listed: z
      .int()
      .describe('Employees in the list afterwards; of a dry or held run, as planned.')
      .meta({ examples: [412] }),
  }),
  hasEffects: true,
  attempts: 5,
  backoffMs: 10_000,
  timeoutMs: 2 * 60 * 60_000,
  concurrency: 1,
  exclusive: ({ dryRun }) => (dryRun ? undefined : 'employees'),
  schedules: [
    {
      name: 'employee-resync',
      summary: 'Updates employees from the identity directory and the CRM.',
      cron: '0 2 * * *',
      missed: 'latest',
      systems: ['EMPLOYEE_RECORDS_URL', 'DIRECTORY_URL', 'CRM_URL'],
      payload: { mode: 'resync' },
    },
  ],
});
