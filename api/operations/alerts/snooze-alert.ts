import { z } from 'zod';
import { Alert } from '../../../core/alerts/alert.ts';
import { snoozeAlert } from '../../../core/alerts/open-alerts.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';

const longestHours = 168;
const bounds = `must be a whole number of hours from 0 to ${longestHours}`;

export default defineOperation({
  summary:
    'Keep an open alert quiet for some hours: it is not told of nor reminded of, only that it is over.',
  id: 'alerts.snooze',
  method: 'POST',
  path: '/alerts/{id}/snooze',
  scope: 'ops',
  request: {
    params: z.object({
      id: z
        .uuid('must be the id of an alert')
        .describe('The alert’s id.')
        .meta({ examples: ['0198c0de-0000-7000-8000-000000000001'] }),
    }),
    body: z
      .object({
        hours: z
          .int(bounds)
          .min(0, bounds)
          .max(longestHours, bounds)
          .describe('0: it is told of again from now on.'),
      })
      .meta({ examples: [{ hours: 8 }] }),
  },
  answers: { 200: { description: 'The alert as it is now.', schema: Alert } },
  async handle({ params, body }, call) {
    const until = body.hours === 0 ? null : new Date(Date.now() + body.hours * 3_600_000);
    const alert = await snoozeAlert(call.services.database, params.id, until, actorOf(call));
    if (!alert) throw new ServiceError('not-found', 'No alert with this id is open.');
    return { status: 200, body: alert };
  },
});
