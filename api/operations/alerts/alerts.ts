/** Lists and snoozes alerts. */
import { z } from 'zod';
import { Alert } from '../../../core/alerts/alert.ts';
import { listAlerts, snoozeAlert } from '../../../core/alerts/open-alerts.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, defineOperation, ok } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';

const AlertCursor = z.object({ openedAt: z.iso.datetime(), id: z.uuid() });

const list = defineOperation({
  summary: 'Open alerts with remediation; with `state=all` also closed ones.',
  id: 'alerts.list',
  route: 'GET /alerts',
  scope: 'ops',
  request: {
    query: ListQuery.extend({
      state: z
        .enum(['open', 'all'])
        .default('open')
        .describe('`open`: open alerts only. `all`: closed alerts too, until they are deleted.'),
    }),
  },
  answers: {
    200: {
      description: 'A page of alerts, newest first.',
      schema: pageSchema(Alert),
    },
  },
  async handle({ query: { limit, cursor, state } }, { services, request }) {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, AlertCursor);
    const found = await listAlerts(services.database, {
      onlyOpen: state === 'open',
      limit: limit + 1,
      after: after && { openedAt: new Date(after.openedAt), id: after.id },
    });
    const page = cutPage(found, limit, ({ openedAt, id }) => ({ openedAt, id }));
    return ok(page, nextLink(request, page.nextCursor));
  },
});

const maxHours = 168;

const snooze = defineOperation({
  summary: 'Snooze an open alert for some hours: no notifications until then, except of its end.',
  id: 'alerts.snooze',
  route: 'POST /alerts/{id}/snooze',
  scope: 'ops',
  request: {
    params: z.object({
      id: z
        .uuid('must be the id of an alert')
        .describe('The alert’s id.')
        .meta({ examples: ['0198c0de-0000-7000-8000-000000000001'] }),
    }),
    body: z
      .object({ hours: z.int().min(0).max(maxHours).describe('0: ends the snooze.') })
      .meta({ examples: [{ hours: 8 }] }),
  },
  answers: { 200: { description: 'The alert after the change.', schema: Alert } },
  async handle({ params, body }, call) {
    const until = body.hours === 0 ? null : new Date(Date.now() + body.hours * 3_600_000);
    const alert = await snoozeAlert(call.services.database, params.id, until, actorOf(call));
    if (!alert) throw new ServiceError('not-found', `There is no open alert with the id ${params.id}.`);
    return { status: 200, body: alert };
  },
});

export default [list, snooze];
