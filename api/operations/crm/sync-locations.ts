import job from '../../../workers/location-sync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { LocationSyncRequest } from '../../jobs/location-sync-request.ts';

export default defineJobOperation({
  summary:
    'Update the listing portal’s locations and the CRM’s in the local database, and add to the CRM what it lacks, with its parents.',
  id: 'crm.syncLocations',
  method: 'POST',
  path: '/apps/crm/v1/locations/sync',
  scope: 'crm:sync',
  request: { body: LocationSyncRequest },
  job,
  accept: async ({ body }) => ({ payload: { what: 'sync' as const, dryRun: body.dryRun, ...body.scope } }),
});
