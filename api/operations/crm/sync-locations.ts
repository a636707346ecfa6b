import locationSync from '../../../workers/location-sync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { LocationSyncRequest } from '../../jobs/location-sync-request.ts';

export default defineJobOperation({
  summary:
    'Start a job that updates the local mirrors of the listing portal’s and the CRM’s locations, and adds missing locations with their parents to the CRM.',
  id: 'crm.syncLocations',
  route: 'POST /apps/crm/v1/locations/sync',
  scope: 'crm:sync',
  request: { body: LocationSyncRequest },
  job: locationSync,
  accept: async ({ body }) => ({ payload: { what: 'sync' as const, dryRun: body.dryRun, ...body.scope } }),
});
