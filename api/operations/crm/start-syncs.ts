import { z } from 'zod';
import { DryRun } from '../../../core/sync/report.ts';
import acquisition from '../../../workers/crm-acquisition/contract.ts';
import locationSync from '../../../workers/location-sync/contract.ts';
import { DryRunFlag, QueryFlag } from '../../http/input-fields.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { LocationSyncRequest } from '../../jobs/location-sync-request.ts';

const acquireDeals = defineJobOperation({
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

const acquireLocations = defineJobOperation({
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

const syncLocations = defineJobOperation({
  summary:
    'Start a job that updates the local mirrors of the listing portal’s and the CRM’s locations, and adds missing locations with their parents to the CRM.',
  id: 'crm.syncLocations',
  route: 'POST /apps/crm/v1/locations/sync',
  scope: 'crm:sync',
  request: { body: LocationSyncRequest },
  job: locationSync,
  accept: async ({ body }) => ({ payload: { what: 'sync' as const, dryRun: body.dryRun, ...body.scope } }),
});

export default [acquireDeals, acquireLocations, syncLocations];
