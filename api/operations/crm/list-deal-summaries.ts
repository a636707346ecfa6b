import { z } from 'zod';
import { createDeals, dealsStateKind } from '../../../core/domain/crm/deals.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { DealQuery, DealSummaries, DealSummary, dealFilter, dealSummaries } from './deal-summary.ts';

const UserCursor = z.object({ user: z.string().regex(/^\d{1,9}$/) });

export default defineOperation({
  summary: 'Summarize deals by assigned user, from the local mirror.',
  id: 'crm.listDealSummaries',
  route: 'GET /apps/crm/v1/deals/summary',
  scope: 'crm:read',
  request: { query: z.object({ ...DealQuery.shape, ...ListQuery.shape }) },
  answers: {
    200: {
      description: 'A page of users with such deals, sorted by id.',
      schema: DealSummaries.extend(pageSchema(DealSummary).shape),
    },
  },
  async handle({ query }, { services: { database }, request }) {
    const after = query.cursor === undefined ? 0 : Number(decodeCursor(query.cursor, UserCursor).user);
    const [sums, state] = await Promise.all([
      createDeals(database).sums(dealFilter(query), { after, users: query.limit + 1 }),
      createSyncStates(database).read(dealsStateKind),
    ]);
    const { items, nextCursor } = cutPage(dealSummaries(sums), query.limit, last => ({
      user: String(last.assignedUserId),
    }));
    return {
      status: 200,
      headers: nextLink(request, nextCursor),
      body: { items, asOf: state?.asOf ?? null, nextCursor },
    };
  },
});
