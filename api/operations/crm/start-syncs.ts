import { z } from 'zod';
import acquisition from '../../../workers/crm-acquisition/contract.ts';
import locationSync from '../../../workers/location-sync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { LocationSyncRequest } from '../../jobs/location-sync-request.ts';

const acquireDeals = defineJobOperation({
  summary:
    'Start a job that mirrors the CRM’s deals, primary and secondary, in the local database: those changed since the last run, or all.',
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
        .describe('Reads all deals, which also detects deletions in the CRM.'),
    }),
  },
  job: acquisition,
  accept: async ({ query }) => ({ payload: { what: 'deals', full: query.full } }),
});

const acquireLocations = defineJobOperation({
  summary:
    'Start a job that mirrors the CRM’s cities, communities, subcommunities and properties in the local database, as one hierarchy.',
  id: 'crm.acquireLocations',
  method: 'POST',
  path: '/apps/crm/v1/locations/acquire',
  scope: 'crm:sync',
  request: {
    body: z.object({
      full: z
        .boolean('must be true or false')
        .default(false)
        .describe('Reads all locations, which also detects deletions in the CRM.'),
    }),
  },
  job: acquisition,
  accept: async ({ body }) => ({ payload: { what: 'locations', full: body.full } }),
});

const syncLocations = defineJobOperation({
  summary:
    'Start a job that updates the local mirrors of the listing portal’s and the CRM’s locations, and adds missing locations with their parents to the CRM.',
  id: 'crm.syncLocations',
  method: 'POST',
  path: '/apps/crm/v1/locations/sync',
  scope: 'crm:sync',
  request: { body: LocationSyncRequest },
  job: locationSync,
  accept: async ({ body }) => ({ payload: { what: 'sync' as const, dryRun: body.dryRun, ...body.scope } }),
});

export default [acquireDeals, acquireLocations, syncLocations];
