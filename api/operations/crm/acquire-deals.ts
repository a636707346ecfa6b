import { z } from 'zod';
import acquisition from '../../../workers/crm-acquisition/contract.ts';
import { DryRunFlag, QueryFlag } from '../../http/input-fields.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Start a job that mirrors the CRM’s deals, primary and secondary, in the local database: those changed since the last run, or all.',
  id: 'crm.acquireDeals',
  route: 'GET /apps/crm/v1/deals/acquire',
  scope: 'crm:sync',
  request: {
    query: z.object({
      full: QueryFlag.describe('Reads all deals, which also detects deletions in the CRM.'),
      dryRun: DryRunFlag,
    }),
  },
  job: acquisition,
  accept: async ({ query }) => ({ payload: { what: 'deals', ...query } }),
});
