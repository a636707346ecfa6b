import { z } from 'zod';
import { DryRun } from '../../../core/sync/report.ts';
import acquisition from '../../../workers/crm-acquisition/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Start a job that mirrors the CRM’s cities, communities, subcommunities and properties in the local database, as one hierarchy.',
  id: 'crm.acquireLocations',
  route: 'POST /apps/crm/v1/locations/acquire',
  scope: 'crm:sync',
  request: {
    body: z.object({
      full: z.boolean().default(false).describe('Reads all locations, which also detects deletions in the CRM.'),
      dryRun: DryRun,
    }),
  },
  job: acquisition,
  accept: async ({ body }) => ({ payload: { what: 'locations', full: body.full, dryRun: body.dryRun } }),
});
