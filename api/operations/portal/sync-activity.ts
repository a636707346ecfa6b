import { z } from 'zod';
import { addDays, countDays, dubaiDayOf } from '../../../core/values/dubai-time.ts';
import activity from '../../../workers/activity/contract.ts';
import { DryRunFlag } from '../../http/input-fields.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

const maxDays = 366;

const Days = z.object({ ...activity.payload.shape, dryRun: DryRunFlag }).superRefine(({ from, to }, context) => {
  const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
  const today = dubaiDayOf(new Date());
  if (from !== undefined && from > today) fault('from', `must not be in the future: today is ${today}`);
  if (to !== undefined && to > today) fault('to', `must not be in the future: today is ${today}`);
  if (from === undefined && to !== undefined) fault('from', 'is required with `to`');
  if (from !== undefined && to === undefined) fault('to', 'is required with `from`');
  if (from === undefined || to === undefined) return;
  if (from > to) fault('to', 'must not be before `from`');
  if (countDays(from, to) > maxDays)
    fault('to', `must be at most ${maxDays} days from \`from\`, which is ${addDays(from, maxDays - 1)}`);
});

export default defineJobOperation({
  summary:
    'Sync user activity from the log store to the CRM: one timeline note per lead and day, written once. Continues where the last run stopped.',
  id: 'portal.syncActivity',
  route: 'GET /apps/portal/v1/user-activity/sync',
  scope: 'portal:write',
  request: { query: Days },
  job: activity,
  accept: async ({ query: { from, to, dryRun } }) => ({ payload: { from, to, dryRun } }),
});
