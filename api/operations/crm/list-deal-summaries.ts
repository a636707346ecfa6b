import { z } from 'zod';
import { createDeals, dealsStateKind } from '../../../core/domain/crm/deals.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';
import { DealQuery, DealSummaries, dealFilter, dealSummaries } from './deal-summary.ts';

const UserCursor = z.object({ user: z.string().regex(/^\d{1,9}$/) });

export default defineOperation({
  summary: 'Deals by the user they are assigned to, from the local database.',
  id: 'crm.listDealSummaries',
  method: 'GET',
  path: '/apps/crm/v1/deals/summary',
  scope: 'crm:read',
  request: { query: z.object({ ...DealQuery.shape, ...ListQuery.shape }) },
  answers: {
    200: {
      description: 'A page of users who have such deals, by their ids.',
      schema: DealSummaries.extend({ nextCursor: z.string().nullable() }),
    },
  },
  async handle({ query }, { services: { database }, request }) {
    const after = query.cursor === undefined ? 0 : Number(decodeCursor(query.cursor, UserCursor).user);
    const [sums, state] = await Promise.all([
      createDeals(database).sums(dealFilter(query), { after, users: query.limit + 1 }),
      createSyncStates(database).read(dealsStateKind),
    ]);
    const found = dealSummaries(sums);
    const items = found.slice(0, query.limit);
    const last = items.at(-1);
    const nextCursor =
      found.length > query.limit && last ? encodeCursor({ user: String(last.assignedUserId) }) : null;
    const asOf = state?.asOf.toISOString() ?? null;
    return { status: 200, headers: nextLink(request, nextCursor), body: { items, asOf, nextCursor } };
  },
});
