import job from '../../../workers/location-sync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { LocationSyncRequest } from '../../jobs/location-sync-request.ts';

export default defineJobOperation({
  summary: 'Start a job that updates the local mirror of the listing portal’s locations, which the searches use.',
  id: 'listingPortal.updateLocations',
  route: 'POST /apps/listing-portal/v1/locations/update',
  scope: 'crm:sync',
  request: { body: LocationSyncRequest },
  job,
  accept: async ({ body }) => ({ payload: { what: 'update' as const, dryRun: body.dryRun, ...body.scope } }),
});
