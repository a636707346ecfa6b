import { z } from 'zod';
import { Alert } from '../../../core/alerts/alert.ts';
import { listAlerts } from '../../../core/alerts/open-alerts.ts';
import { defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';

const AlertCursor = z.object({ openedAt: z.iso.datetime(), id: z.uuid() });

export default defineOperation({
  summary:
    'What is wrong with the service just now, and what to do about it; with `state=all` also what is over.',
  id: 'alerts.list',
  method: 'GET',
  path: '/alerts',
  scope: 'ops',
  request: {
    query: ListQuery.extend({
      state: z
        .enum(['open', 'all'], { error: 'must be open or all' })
        .default('open')
        .describe(
          '`open`: those that are not over. `all`: those that are over as well, as long as they are kept.',
        ),
    }),
  },
  answers: {
    200: {
      description: 'A page of alerts, the newest first.',
      schema: z.object({ items: z.array(Alert), nextCursor: z.string().nullable() }),
    },
  },
  async handle({ query }, { services, request }) {
    const { limit, cursor, state } = query;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, AlertCursor);
    const found = await listAlerts(services.database, {
      onlyOpen: state === 'open',
      limit: limit + 1,
      after: after && { openedAt: new Date(after.openedAt), id: after.id },
    });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextCursor =
      last && found.length > limit ? encodeCursor({ openedAt: last.openedAt, id: last.id }) : null;
    return {
      status: 200,
      headers: { 'cache-control': 'no-store', ...nextLink(request, nextCursor) },
      body: { items, nextCursor },
    };
  },
});
