import { z } from 'zod';
import job from '../../../workers/crm-acquisition/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Acquire cities, communities, subcommunities and properties from the CRM, and build the hierarchical table of them.',
  id: 'crm.acquireLocations',
  method: 'POST',
  path: '/apps/crm/v1/locations/acquire',
  scope: 'crm:sync',
  request: {
    body: z
      .object({
        full: z
          .boolean('must be true or false')
          .default(false)
          .describe('All locations, which also finds those that were deleted in the CRM.'),
      })
      .prefault({}),
  },
  job,
  accept: async ({ body }) => ({ payload: { what: 'locations', full: body.full } }),
});
