import { z } from 'zod';
import job from '../../../workers/crm-acquisition/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Acquire deals, primary and secondary, from the CRM into the local database: those that have changed since the last time, or all of them.',
  id: 'crm.acquireDeals',
  method: 'GET',
  path: '/apps/crm/v1/deals/acquire',
  scope: 'crm:sync',
  request: {
    query: z.object({
      full: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .default('false')
        .transform(text => text === 'true')
        .describe('All deals, which also finds those that were deleted in the CRM.'),
    }),
  },
  job,
  accept: async ({ query }) => ({ payload: { what: 'deals', full: query.full } }),
});
