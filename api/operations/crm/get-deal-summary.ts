import { z } from 'zod';
import { createDeals, dealsStateKind } from '../../../core/domain/crm/deals.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { DealQuery, DealSummaries, dealFilter, dealSummaries } from './deal-summary.ts';

export default defineOperation({
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
    const [sums, state, isKnown] = await Promise.all([
      deals.sums({ ...dealFilter(query), assignedUserId }, { after: 0, users: 1 }),
      createSyncStates(database).read(dealsStateKind),
      deals.knowsUser(assignedUserId),
    ]);
    if (!isKnown) throw new ServiceError('not-found', `The local mirror has no CRM user ${assignedUserId}.`);
    return { status: 200, body: { items: dealSummaries(sums), asOf: state?.asOf ?? null } };
  },
});
