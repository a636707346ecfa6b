import { z } from 'zod';
import { createDeals, dealsStateKind } from '../../../core/domain/crm/deals.ts';
import type { Database } from '../../../core/postgres/client.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { DealQuery, DealSummaries, DealSummary, dealFilter, dealSummaries } from './deal-summary.ts';

const UserCursor = z.object({ user: z.string().regex(/^\d{1,9}$/) });

const list = defineOperation({
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
    const [sums, asOf] = await Promise.all([
      createDeals(database).sums(dealFilter(query), { after, users: query.limit + 1 }),
      mirroredAt(database),
    ]);
    const { items, nextCursor } = cutPage(dealSummaries(sums), query.limit, last => ({
      user: String(last.assignedUserId),
    }));
    return { status: 200, headers: nextLink(request, nextCursor), body: { items, asOf, nextCursor } };
  },
});

const get = defineOperation({
  summary: 'Summarize the deals of one assigned user, from the local mirror.',
  id: 'crm.getDealSummary',
  route: 'GET /apps/crm/v1/deals/summary/{assignedUserId}',
  scope: 'crm:read',
  request: {
    params: z.object({
      assignedUserId: idIn('a CRM user')
        .describe('The user’s id in the CRM.')
        .meta({ examples: [21] }),
    }),
    query: DealQuery,
  },
  answers: { 200: { description: 'One item; none if the user has no such deals.', schema: DealSummaries } },
  async handle({ params: { assignedUserId }, query }, { services: { database } }) {
    const deals = createDeals(database);
    const [sums, asOf, isKnown] = await Promise.all([
      deals.sums({ ...dealFilter(query), assignedUserId }, { after: 0, users: 1 }),
      mirroredAt(database),
      deals.knowsUser(assignedUserId),
    ]);
    if (!isKnown) throw new ServiceError('not-found', `The local mirror has no CRM user ${assignedUserId}.`);
    return { status: 200, body: { items: dealSummaries(sums), asOf } };
  },
});

export default [list, get];

async function mirroredAt(database: Database): Promise<string | null> {
  return (await createSyncStates(database).read(dealsStateKind))?.asOf.toISOString() ?? null;
}
