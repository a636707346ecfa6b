import { z } from 'zod';
import { addDays, countDays, dubaiDayOf } from '../../../core/values/dubai-time.ts';
import activity from '../../../workers/activity/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

const mostDays = 366;

const Days = z.object(activity.payload.shape).superRefine(({ from, to }, context) => {
  const fault = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const today = dubaiDayOf(new Date());
  if (from !== undefined && from > today) fault('from', `must not be in the future: today is ${today}`);
  if (to !== undefined && to > today) fault('to', `must not be in the future: today is ${today}`);
  if (from === undefined && to !== undefined) fault('from', 'must be there, because `to` is');
  if (from !== undefined && to === undefined) fault('to', 'must be there, because `from` is');
  if (from === undefined || to === undefined) return;
  if (from > to) fault('to', 'must not be before `from`');
  if (countDays(from, to) > mostDays)
    fault('to', `must be at most ${mostDays} days from \`from\`, which is ${addDays(from, mostDays - 1)}`);
});

export default defineJobOperation({
  summary:
    'Sync people’s activity from the log store to the CRM: a note on the lead’s timeline for each day, written once. Goes on where it was broken off.',
  id: 'portal.syncActivity',
  method: 'GET',
  path: '/apps/portal/v1/user-activity/sync',
  scope: 'portal:write',
  request: { query: Days },
  job: activity,
  accept: async ({ query: { from, to } }) => ({ payload: { from, to } }),
});
